import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { availableSlug, toSlug } from '../../../src/domain/survey/slug.ts'

const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ maxLength: 20 }))

describe('toSlug, for any name', () => {
  test('returns letters and digits joined by single dashes, never an empty string', () => {
    fc.assert(fc.property(name, (given) => expect(toSlug(given)).toMatch(/^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u)))
  })

  test('returns a slug unchanged', () => {
    fc.assert(fc.property(name, (given) => expect(toSlug(toSlug(given))).toBe(toSlug(given))))
  })

  test('returns the same slug for all cases and normalisation forms', () => {
    fc.assert(
      fc.property(name, (given) =>
        expect(toSlug(`  ${given.normalize('NFD')}! `)).toBe(toSlug(given.normalize('NFC'))),
      ),
    )
  })

  test('leaves room for a suffix', () => {
    fc.assert(fc.property(name, (given) => expect(Array.from(toSlug(given)).length).toBeLessThanOrEqual(70)))
  })
})

test.each([
  ['Customer feedback 2026', 'customer-feedback-2026'],
  ['  Café — über Straße ', 'cafe-uber-straße'],
  ['アンケート', 'アンケート'],
  ['!?', 'survey'],
])('%s → %s', (given, slug) => expect(toSlug(given)).toBe(slug))

test('availableSlug appends the first unused number', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 12 }))
  fc.assert(
    fc.property(numbers, (given) => {
      const taken = new Set(given.map((number) => (number === 0 ? 'tea' : `tea-${number}`)))
      const free = availableSlug('tea', taken)
      const number = free === 'tea' ? 0 : Number(free.slice('tea-'.length))
      expect(taken.has(free)).toBe(false)
      for (let before = 0; before < number; before += 1)
        expect(taken.has(before === 0 ? 'tea' : `tea-${before}`)).toBe(true)
    }),
  )
})
