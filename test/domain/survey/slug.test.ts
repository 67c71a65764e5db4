import { describe, expect, test } from '@jest/globals'
import { availableSlug, toSlug } from '../../../src/domain/survey/short-code.ts'
import fc from '../../support/fast-check.ts'

const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ maxLength: 20 }))

describe('toSlug, for any name', () => {
  test('returns letters and digits joined by single dashes, and never an empty text', () => {
    fc.assert(fc.property(name, (text) => expect(toSlug(text)).toMatch(/^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u)))
  })

  test('returns a slug unchanged', () => {
    fc.assert(fc.property(name, (text) => expect(toSlug(toSlug(text))).toBe(toSlug(text))))
  })

  test('returns the same slug for all normalisation forms of a name, with or without surrounding spaces', () => {
    fc.assert(
      fc.property(name, (text) => expect(toSlug(`  ${text.normalize('NFD')}! `)).toBe(toSlug(text.normalize('NFC')))),
    )
  })

  test('returns at most 70 characters, which leaves room for a number at the end', () => {
    fc.assert(fc.property(name, (text) => expect(Array.from(toSlug(text)).length).toBeLessThanOrEqual(70)))
  })
})

test.each([
  ['Customer feedback 2026', 'customer-feedback-2026'],
  ['  Café — über Straße ', 'cafe-uber-straße'],
  ['アンケート', 'アンケート'],
  ['!?', 'survey'],
])('toSlug(%j) returns %j', (text, slug) => expect(toSlug(text)).toBe(slug))

test('availableSlug returns the slug itself if it is unused, otherwise the slug with the first unused number', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 12 }))
  fc.assert(
    fc.property(numbers, (usedNumbers) => {
      const usedSlugs = new Set(usedNumbers.map((number) => (number === 0 ? 'tea' : `tea-${number}`)))
      const slug = availableSlug('tea', usedSlugs)
      const number = slug === 'tea' ? 0 : Number(slug.slice('tea-'.length))
      expect(usedSlugs.has(slug)).toBe(false)
      for (let before = 0; before < number; before += 1)
        expect(usedSlugs.has(before === 0 ? 'tea' : `tea-${before}`)).toBe(true)
    }),
  )
})
