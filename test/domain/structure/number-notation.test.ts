import { describe, expect, test } from '@jest/globals'
import { readNumber, writeNumber } from '../../../src/domain/structure/number.ts'
import { languages } from '../../../src/domain/text/catalog.ts'
import { plainText } from '../../../src/lib/strings.ts'
import fc from '../../support/fast-check.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 300)

describe('readNumber', () => {
  test.each([
    ['50,000', { whole: true }, '50000'],
    ['50.000', { whole: true }, '50000'],
    ['1,5', {}, '1.5'],
    ['1.5', {}, '1.5'],
    ['1.500', {}, '1.500'],
    ['0,125', {}, '0.125'],
    ['0,125', { whole: true }, '0.125'],
    ['1234,567', {}, '1234.567'],
    ['1,234,567', {}, '1234567'],
    ['1.234.567', {}, '1234567'],
    ['1 234 567', {}, '1234567'],
    ['1\u202f234\u00a0567', {}, undefined],
    ['1\u202f234,5', {}, '1234.5'],
    ["1'234", {}, '1234'],
    ['1’234’567.25', {}, '1234567.25'],
    ['1,234.56', {}, '1234.56'],
    ['1.234,56', {}, '1234.56'],
    ['1,23,456', {}, '123456'],
    ['12,34,567.5', {}, '1234567.5'],
    ['50,000', { language: 'en' }, '50000'],
    ['50,000', { language: 'de' }, '50.000'],
    ['50.000', { language: 'de' }, '50000'],
    ['50.000', { language: 'pt-BR' }, '50000'],
    ['50.000', { language: 'de_CH' }, '50.000'],
    ['٣٥', {}, '35'],
    ['١٬٢٣٤٫٥', {}, '1234.5'],
    ['４２', {}, '42'],
    ['−７，５', {}, '-7.5'],
    ['\u200b 12\u00ad ', {}, '12'],
    ['\u202a-3\u202c', {}, '-3'],
    ['.5', {}, '0.5'],
    ['5.', {}, '5'],
    ['+5', {}, '5'],
    ['007', {}, '007'],
    ['1e5', {}, '1e5'],
    ['0,125,000', {}, undefined],
    ['1,2345,678', {}, undefined],
    ['12 34', {}, undefined],
    ['1,234.567,8', {}, undefined],
    ['1..5', {}, undefined],
    [',', {}, undefined],
    ['', {}, undefined],
    ['ten', {}, undefined],
    ['0x10', {}, undefined],
    ['9'.repeat(1000), {}, undefined],
  ] as const)('reads %j with %j as %s', (text, context, number) => {
    expect(readNumber(text, context)).toEqual(number === undefined ? undefined : { number })
  })

  test.each([
    ['50,000', {}, ['50', '50000']],
    ['1,500', {}, ['1.5', '1500']],
    ['-٥٠,٠٠٠', {}, ['-50', '-50000']],
    ['1.500', { language: 'fr' }, ['1.5', '1500']],
    ['1,500', { language: 'de-CH' }, ['1.5', '1500']],
    ['1,500', { language: 'tlh' }, ['1.5', '1500']],
    ['1,500', { language: 'not a language' }, ['1.5', '1500']],
  ])('returns both readings of %j with %j', (text, context, readings) => {
    expect(readNumber(text, context)).toEqual({ readings })
  })

  test('reads the digits of every script', () => {
    const zeros = Array.from({ length: 0x110000 }, (_, code) => code).filter(
      (code) => (code < 0xd800 || code > 0xdfff) && /\p{Nd}/u.test(String.fromCodePoint(code)),
    )
    expect(zeros.length).toBeGreaterThan(600)
    for (let index = 0; index < zeros.length; index += 10)
      expect(
        plainText(
          zeros
            .slice(index, index + 10)
            .map((code) => String.fromCodePoint(code))
            .join(''),
        ),
      ).toBe('0123456789')
  })

  const numberText = fc
    .tuple(fc.boolean(), fc.integer({ min: 0, max: 1e9 }), fc.option(fc.integer({ min: 1, max: 1e6 })))
    .map(
      ([negative, integer, fraction]) => `${negative ? '-' : ''}${integer}${fraction === null ? '' : `.${fraction}`}`,
    )
  const codes = [...Object.keys(languages), 'fa', 'de-CH', 'bn', 'mr', 'he', 'sv', 'tlh', 'x', 'en_US']

  test('reads what was written in every language', () => {
    fc.assert(
      fc.property(numberText, fc.constantFrom(...codes), (number, language) => {
        expect(readNumber(writeNumber(number, language), { language })).toEqual({ number })
      }),
      { numRuns: RUNS },
    )
  })

  test('reads what programs write for the language, with groups', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.constantFrom(...Object.keys(languages), 'fa', 'bn', 'de-CH', 'en-IN'),
        (integer, language) => {
          expect(readNumber(new Intl.NumberFormat(language).format(integer), { language })).toEqual({
            number: String(integer),
          })
        },
      ),
      { numRuns: RUNS },
    )
  })

  test('never reads a number as another number in silence', () => {
    fc.assert(
      fc.property(numberText, (number) => {
        expect(readNumber(number)).toEqual({ number })
        const comma = readNumber(number.replace('.', ','))!
        if ('number' in comma) expect(Number(comma.number)).toBe(Number(number))
        else expect(comma.readings.map(Number)).toContain(Number(number))
      }),
      { numRuns: RUNS },
    )
  })
})
