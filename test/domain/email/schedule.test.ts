import { describe, expect, test } from '@jest/globals'
import { delayOf } from '../../../src/domain/email/send.ts'
import fc from '../../support/fast-check.ts'

const MINUTES = { w: 10_080, d: 1_440, h: 60, m: 1 } as const
type Unit = keyof typeof MINUTES
const unit = fc.constantFrom<Unit>('w', 'd', 'h', 'm')
const number = fc.integer({ min: 0, max: 50 })
const parts = fc.array(fc.tuple(number, unit), { minLength: 1, maxLength: 6 })
const sumOf = (delay: readonly (readonly [number, Unit])[]) =>
  delay.reduce((sum, [amount, each]) => sum + amount * MINUTES[each] * 60_000, 0)

describe('delayOf [spec 9.6]', () => {
  test('returns the sum of numbers with units, in any order and with repeated units', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom('', ' ', '+', ' + '), (delay, separator) => {
        expect(delayOf(delay.map(([amount, each]) => `${amount}${each}`).join(separator))).toBe(sumOf(delay))
      }),
    )
  })

  test('reads a number without a unit as days', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3650 }), (days) => {
        expect(delayOf(String(days))).toBe(delayOf(`${days}d`))
        expect(delayOf(` ${days} `)).toBe(days * 86_400_000)
      }),
    )
  })

  test('returns the same delay if the numbers with units are in reverse order', () => {
    fc.assert(
      fc.property(parts, (delay) => {
        const text = (some: typeof delay) => some.map(([amount, each]) => `${amount}${each}`).join('')
        expect(delayOf(text(delay.toReversed()))).toBe(delayOf(text(delay)))
      }),
    )
  })

  test('returns undefined for a text that is neither a number nor a list of numbers with units', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const grammar = /^\s*(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?[wdhm][ +]*)*\d+(?:\.\d+)?[wdhm])\s*$/
        if (!grammar.test(text)) expect(delayOf(text)).toBeUndefined()
      }),
    )
  })

  test.each([
    ['1w2d', 777_600_000],
    ['1.5h', 5_400_000],
    ['90m', 5_400_000],
    ['0', 0],
    ['0m', 0],
    // Longer than ten years. delayOf accepts such delays, and sendEmail rejects them.
    ['3651', 315_446_400_000],
    ['600w', 362_880_000_000],
  ])('parses %s', (text, delay) => expect(delayOf(text)).toBe(delay))

  test.each(['', ' ', 'd', '1x', '1d2', '2 1d', '-1d', '1D', '1,5h', '+1d', '1d+', '1e3', 'Infinity'])(
    'returns undefined for %p',
    (text) => expect(delayOf(text)).toBeUndefined(),
  )
})
