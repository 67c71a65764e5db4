// Expected values: SciPy 1.17.1 (scipy.stats.chi2, t, norm, chi2_contingency, contingency.association) and statsmodels
// 0.15.0 (proportions_ztest), printed with repr().
import { describe, expect, test } from '@jest/globals'
import {
  chiSquare,
  columnLetter,
  combineMoments,
  lowerProportions,
  meanSummary,
  momentsOf,
} from '../../../src/domain/report/significance.ts'
import { chiSquareTail, normalLimit, normalTails, studentLimit, studentTails } from '../../../src/lib/distributions.ts'
import { seededRandom } from '../../../src/lib/random.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env.PROPERTY_RUNS ?? 300)

/** Checks that a value is equal to another in its first nine digits. */
const expectClose = (actual: number, expected: number) => expect(Math.abs(actual / expected - 1)).toBeLessThan(1e-9)

describe('distributions', () => {
  test.each([
    [3.84, 1, 0.05004352124870519],
    [0.5, 1, 0.47950012218695337],
    [12.3, 4, 0.015254394655769615],
    [30, 10, 0.000856641210775301],
    [1e-6, 3, 0.9999999997340385],
    [200, 5, 2.8406228986415534e-41],
    [95, 100, 0.6225792918781736],
    [1200, 1000, 1.2255942330622893e-5],
  ])('chi-square %d with %d degrees has the tail of SciPy', (value, degrees, tail) => {
    expectClose(chiSquareTail(value, degrees), tail)
  })

  test.each([
    [2, 10, 0.07338803477074037],
    [0.1, 1, 0.936548965138893],
    [5, 3, 0.015392438073302294],
    [1.96, 1000, 0.050273184955748736],
    [12, 30, 5.580185415199261e-13],
    [2.5, 99_999, 0.012420919208444996],
  ])('Student’s t %d with %d degrees has the tails of SciPy', (t, degrees, tails) => {
    expectClose(studentTails(t, degrees), tails)
    expectClose(studentTails(-t, degrees), tails)
  })

  test('the normal distribution and its limits are those of SciPy', () => {
    expectClose(normalTails(1.96), 0.04999579029644087)
    expectClose(normalTails(-0.3), 0.7641771556220948)
    expectClose(normalTails(5), 5.733031437583866e-7)
    expectClose(normalLimit(0.05), 1.9599639845400545)
    expectClose(normalLimit(0.05 / 325), 3.784777506186301)
    expectClose(studentLimit(0.05, 1), 12.706204736174705)
    expectClose(studentLimit(0.05, 29), 2.045229642132704)
    expectClose(studentLimit(0.05, 9_999), 1.9602012636213577)
  })
})

describe('chiSquare', () => {
  test.each([
    [
      [
        [10, 20, 30],
        [6, 9, 17],
      ],
      0.27157465150403504,
      2,
      0.873028283380073,
      0.05433137570422292,
    ],
    [
      [
        [12, 5],
        [3, 14],
      ],
      9.663157894736843,
      1,
      0.0018800017694650532,
      0.5331139899831832,
    ],
    [
      [
        [50, 30, 20],
        [20, 40, 40],
        [5, 5, 90],
      ],
      120,
      4,
      5.341471565244885e-25,
      0.4472135954999579,
    ],
  ])('%j has the statistic, the degrees, p and V of SciPy', (table, statistic, degrees, p, v) => {
    const actual = chiSquare(table)!
    expectClose(actual.statistic, statistic)
    expect(actual.degrees).toBe(degrees)
    expectClose(actual.p, p)
    expectClose(actual.v, v)
    expect(actual.lowExpected).toBe(0)
  })

  test('leaves out empty rows and columns, and has no result for a single row', () => {
    expect(
      chiSquare([
        [12, 0, 5],
        [0, 0, 0],
        [3, 0, 14],
      ]),
    ).toEqual(
      chiSquare([
        [12, 5],
        [3, 14],
      ]),
    )
    expect(chiSquare([[1, 2]])).toBeUndefined()
    expect(
      chiSquare([
        [0, 0],
        [0, 0],
      ]),
    ).toBeUndefined()
    expect(chiSquare([])).toBeUndefined()
  })

  test('says the share of cells with an expected count below 5', () => {
    expect(
      chiSquare([
        [1, 3],
        [30, 30],
      ])?.lowExpected,
    ).toBe(0.5)
  })

  test(`does not depend on the order of rows and columns, seed ${SEED}`, () => {
    const random = seededRandom(SEED)
    for (let run = 0; run < RUNS; run += 1) {
      const [rows, columns] = [2 + Math.floor(random() * 5), 2 + Math.floor(random() * 5)]
      const table = Array.from({ length: rows }, () => Array.from({ length: columns }, () => Math.floor(random() * 60)))
      const turned = table[0]!.map((_, column) => table.map((row) => row[column]!).reverse())
      const [a, b] = [chiSquare(table), chiSquare(turned)]
      expect(a === undefined).toBe(b === undefined)
      if (!a || !b) continue
      expect(b.statistic).toBeCloseTo(a.statistic, 8)
      expect(b.p).toBeCloseTo(a.p, 8)
      expect([a.p >= 0, a.p <= 1, a.v >= 0, a.v <= 1]).toEqual([true, true, true, true])
    }
  })
})

describe('means', () => {
  test('have the standard deviation and the interval of SciPy', () => {
    const { n, mean, deviation, interval } = meanSummary(
      momentsOf([
        [1, 3],
        [2, 5],
        [3, 2],
        [4, 7],
        [5, 4],
      ]),
    )
    expect(n).toBe(21)
    expectClose(mean!, 3.1904761904761907)
    expectClose(deviation!, 1.4006801069140526)
    expectClose(interval![0], 2.552894249920092)
    expectClose(interval![1], 3.8280581310322894)
  })

  test('have no interval for one number, and no mean for none', () => {
    expect(
      meanSummary(
        momentsOf([
          [4, 1],
          [5, 0],
        ]),
      ),
    ).toEqual({ n: 1, mean: 4, deviation: null, interval: null })
    expect(meanSummary(momentsOf([]))).toEqual({ n: 0, mean: null, deviation: null, interval: null })
  })

  test(`are those of all numbers if parts are combined, also far from 0, seed ${SEED}`, () => {
    const random = seededRandom(SEED)
    for (let run = 0; run < RUNS; run += 1) {
      const numbers = Array.from({ length: 2 + Math.floor(random() * 40) }, () => 1e9 + Math.floor(random() * 10))
      const split = Math.floor(random() * numbers.length)
      const of = (values: number[]) => momentsOf(values.map((value) => [value, 1]))
      const combined = combineMoments([of(numbers.slice(0, split)), of(numbers.slice(split))])
      const mean = numbers.reduce((sum, value) => sum + (value - 1e9), 0) / numbers.length
      const squares = numbers.reduce((sum, value) => sum + (value - 1e9 - mean) ** 2, 0)
      expect(combined.n).toBe(numbers.length)
      expect(combined.mean - 1e9).toBeCloseTo(mean, 5)
      expect(combined.squares).toBeCloseTo(squares, 3)
    }
  })
})

describe('lowerProportions', () => {
  // statsmodels: z = 2.8284 (p = 0.0047), z = 2.3369 (p = 0.0194), z = 0.2658 (p = 0.7904)
  test('marks the higher of two proportions that differ at 95 %', () => {
    expect(lowerProportions([60, 40], [100, 100])).toEqual([[1], []])
    expect(lowerProportions([30, 55], [80, 100])).toEqual([[], [0]])
    expect(lowerProportions([12, 9], [60, 50])).toEqual([[], []])
  })

  test('divides the level by the number of pairs', () => {
    // 55 % of 100 and 37.5 % of 80: p = 0.0194, above 0.05 / 3
    expect(lowerProportions([55, 30, 46], [100, 80, 100])).toEqual([[], [], []])
    expect(lowerProportions([60, 40, 50], [100, 100, 100])).toEqual([[1], [], []])
  })

  test('does not compare small or empty columns', () => {
    expect(lowerProportions([4, 0], [4, 4])).toEqual([[], []])
    expect(lowerProportions([50, 0], [100, 0])).toEqual([[], []])
    expect(lowerProportions([], [])).toEqual([])
  })
})

test('columns are called A to Z, then AA', () => {
  expect([0, 25, 26, 51, 52].map(columnLetter)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA'])
})
