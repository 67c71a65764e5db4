import { describe, expect, test } from '@jest/globals'
import { binsFor } from '../../../src/domain/report/histogram.ts'
import fc from '../../support/fast-check.ts'

describe('binsFor', () => {
  test('returns one bin per number for integers in a small range', () => {
    expect(binsFor({ min: 1, max: 4, integersOnly: true })).toEqual(
      [1, 2, 3, 4].map((from) => ({ from, below: from + 1 })),
    )
    expect(binsFor({ min: 7, max: 7, integersOnly: true })).toEqual([{ from: 7, below: 8 }])
  })

  test('returns bins that begin and end at round numbers', () => {
    const ages = binsFor({ min: 18, max: 97, integersOnly: true })
    expect([ages[0], ages.at(-1), ages.length]).toEqual([{ from: 10, below: 20 }, { from: 90, below: 100 }, 9])
    const tenths = binsFor({ min: 0.1, max: 0.95, integersOnly: false })
    expect(tenths.map(({ from }) => from)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
  })

  test('returns one bin if the numbers are too close for floating-point boundaries between them', () => {
    for (const min of [1e17, 1e29]) {
      const [bin, ...more] = binsFor({ min, max: min + min / 1e16, integersOnly: true })
      expect([bin!.from <= min, bin!.below, more]).toEqual([true, Number.POSITIVE_INFINITY, []])
    }
  })

  test('returns few adjacent bins that cover all numbers', () => {
    const ends = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(1e9), fc.constantFrom(1, 10, 1000))
    fc.assert(
      fc.property(ends, fc.boolean(), ([low, size, parts], integersOnly) => {
        const [min, max] = integersOnly ? [low, low + size] : [low / parts, (low + size) / parts]
        const bins = binsFor({ min, max, integersOnly })
        expect(bins[0]!.from).toBeLessThanOrEqual(min)
        expect(bins.at(-1)!.below).toBeGreaterThan(max)
        expect(bins.length).toBeLessThanOrEqual(14)
        for (const [at, { below }] of bins.slice(0, -1).entries()) expect(bins[at + 1]!.from).toBe(below)
      }),
    )
  })
})
