import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { availableSlug, toSlug } from '../../../src/domain/survey/slug.ts'

const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ maxLength: 20 }))

describe('the slug of any name', () => {
  test('is words of letters and digits, joined by single dashes, and never empty', () => {
    fc.assert(fc.property(name, (given) => expect(toSlug(given)).toMatch(/^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u)))
  })

  test('is the slug of itself', () => {
    fc.assert(fc.property(name, (given) => expect(toSlug(toSlug(given))).toBe(toSlug(given))))
  })

  test('is the same however the name is written', () => {
    fc.assert(
      fc.property(name, (given) =>
        expect(toSlug(`  ${given.normalize('NFD')}! `)).toBe(toSlug(given.normalize('NFC'))),
      ),
    )
  })

  test('leaves room for a number', () => {
    fc.assert(fc.property(name, (given) => expect(Array.from(toSlug(given)).length).toBeLessThanOrEqual(70)))
  })
})

test.each([
  ['Customer feedback 2026', 'customer-feedback-2026'],
  ['  Café — über Straße ', 'cafe-uber-straße'],
  ['アンケート', 'アンケート'],
  ['!?', 'survey'],
])('%s → %s', (given, slug) => expect(toSlug(given)).toBe(slug))

test('a slug that is taken gets the first number that is free', () => {
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
