import { describe, expect, test } from '@jest/globals'
import {
  type Distribution,
  mean,
  median,
  npsBreakdown as npsOf,
  percentage,
  plainTally,
  quantile,
} from '../../../src/domain/report/question-stats.ts'
import fc from '../../support/fast-check.ts'

const npsBreakdown = (distribution: Distribution) => {
  const { moments: _, ...nps } = npsOf(distribution.map(([value, count]) => [value, plainTally(count)]))
  return nps
}
const numbersOf = (distribution: Distribution) => distribution.flatMap(([value, count]) => Array(count).fill(value))
const distributions = fc.array(fc.tuple(fc.integer({ min: -5, max: 12 }), fc.nat(6)))

describe('mean, median and percentage [spec 10.2]', () => {
  test('return null or 0 without numbers', () => {
    expect([mean([]), median([[3, 0]]), percentage(0, 0)]).toEqual([null, null, 0])
    expect(npsBreakdown([]).score).toBeNull()
  })

  test('mean returns the arithmetic mean of the numbers', () => {
    fc.assert(
      fc.property(distributions, (distribution) => {
        const all = numbersOf(distribution)
        const expected = all.length ? all.reduce((sum, value) => sum + value, 0) / all.length : null
        if (expected === null) expect(mean(distribution)).toBeNull()
        // The mean is rounded to four decimals; 1e-9 allows for floating-point errors.
        else expect(Math.abs(mean(distribution)! - expected)).toBeLessThan(0.00005 + 1e-9)
      }),
    )
  })

  test('median returns the middle of the sorted numbers', () => {
    fc.assert(
      fc.property(distributions, (distribution) => {
        const all = numbersOf(distribution).sort((a, b) => a - b)
        const half = all.length / 2
        const expected = all.length ? (all[Math.ceil(half) - 1]! + all[Math.floor(half)]!) / 2 : null
        expect(median(distribution)).toBe(expected)
      }),
    )
  })

  test('NPS is the percentage of scores 9 and 10 minus the percentage of scores 0 to 6, with one decimal', () => {
    const each = (...values: number[]): Distribution => values.map((value) => [value, 1])
    expect(npsBreakdown(each(10, 9, 0))).toEqual({
      ...{ promoters: 2, passives: 0, detractors: 1, score: 33.3 },
      interval: [-100, 100],
    })
    expect(npsBreakdown(each(8, 7))).toEqual({
      ...{ promoters: 0, passives: 2, detractors: 0, score: 0 },
      interval: [0, 0],
    })
    expect(npsBreakdown([[6, 5]]).score).toBe(-100)
    // scipy.stats.t.interval(0.95, 99, mean, sem) of 50 × 100, 30 × 0 and 20 × −100, SciPy 1.17.1
    expect(
      npsBreakdown([
        [9, 50],
        [8, 30],
        [0, 20],
      ]).interval,
    ).toEqual([14.4, 45.6])
  })
})

test('quartiles are interpolated between the two nearest numbers, as NumPy and PostgreSQL do', () => {
  const numbers: Distribution = [
    [9, 2],
    [1, 2],
    [2, 1],
    [5, 1],
    [10, 1],
  ]
  expect([0.25, 0.5, 0.75].map((share) => quantile(numbers, share))).toEqual([1.5, 5, 9])
  expect(
    [0.25, 0.75].map((share) =>
      quantile(
        [
          [1, 1],
          [4, 1],
        ],
        share,
      ),
    ),
  ).toEqual([1.75, 3.25])
  expect(quantile([], 0.25)).toBeNull()
})
