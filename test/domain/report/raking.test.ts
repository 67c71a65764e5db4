import { describe, expect, test } from '@jest/globals'
import { type RakingCell, rake } from '../../../src/domain/report/raking.ts'
import { weightFrom } from '../../../src/domain/response/filter/weight.ts'
import fc from '../../support/fast-check.ts'

const WIDE = { min: 0, max: 1_000 }

const cellsOf = (counts: readonly (readonly number[])[]): RakingCell[] =>
  counts.flatMap((row, a) => row.map((count, b) => ({ classes: [a, b], count })))

const weightsOf = (cells: readonly RakingCell[], { factors, scale }: ReturnType<typeof rake>, bounds = WIDE) =>
  cells.map(({ classes }) =>
    weightFrom(
      scale,
      classes.map((one, question) => (one === null ? 1 : factors[question]![one]!)),
      bounds,
    ),
  )

describe('rake', () => {
  test('finds the weights of iterative proportional fitting', () => {
    const cells = cellsOf([
      [40, 20, 12],
      [10, 30, 8],
      [25, 15, 40],
    ])
    const targets = [
      [0.5, 0.2, 0.3],
      [0.3, 0.3, 0.4],
    ]
    const raked = rake(cells, targets, WIDE)
    expect(raked).toMatchObject({ converged: true, trimmed: 0 })
    // loglin(outer(ta, tb) * n, list(1, 2), start = counts, fit = TRUE, eps = 1e-12)$fit / counts in R 4.2.2
    const expected = [
      1.07315399, 1.39996106, 2.4228849, 0.5952587, 0.77653255, 1.3439295, 0.44485014, 0.58032014, 1.0043486,
    ]
    for (const [index, weight] of weightsOf(cells, raked).entries()) expect(weight).toBeCloseTo(expected[index]!, 4)
    expect(raked.effectiveN).toBeCloseTo(165.1945, 2)
  })

  test('says that targets are out of reach within the bounds, and keeps to the bounds', () => {
    const cells = [
      { classes: [0], count: 98 },
      { classes: [1], count: 2 },
    ]
    const bounds = { min: 0.5, max: 2 }
    const raked = rake(cells, [[0.5, 0.5]], bounds)
    expect(raked.converged).toBe(false)
    expect(raked.largestDifference).toBeGreaterThan(0.4)
    expect(raked.largest).toBeLessThanOrEqual(2)
    expect(raked.trimmed).toBeGreaterThanOrEqual(2)
    expect(raked.iterations).toBe(500)
  })

  test('reaches targets that can be reached, with a mean of 1 and weights within the bounds', () => {
    const count = fc.integer({ min: 1, max: 50 })
    const share = fc.integer({ min: 2, max: 9 })
    const answers = fc.array(count, { minLength: 4 * 4, maxLength: 4 * 4 })
    fc.assert(
      fc.property(
        answers,
        fc.array(share, { minLength: 3, maxLength: 3 }),
        fc.array(share, { minLength: 3, maxLength: 3 }),
        (counts, first, second) => {
          // The last class of each question is no answer.
          const cells = counts.map((each, index): RakingCell => {
            const [a, b] = [Math.floor(index / 4), index % 4]
            return { classes: [a === 3 ? null : a, b === 3 ? null : b], count: each }
          })
          const targets = [first, second].map((parts) => {
            const sum = parts.reduce((total, part) => total + part, 0)
            return parts.map((part) => part / sum)
          })
          for (const bounds of [WIDE, { min: 0.3, max: 3 }]) {
            const raked = rake(cells, targets, bounds)
            const weights = weightsOf(cells, raked, bounds)
            const sumOver = (isIn: (cell: RakingCell) => boolean, power = 1) =>
              cells.reduce((sum, cell, index) => sum + (isIn(cell) ? cell.count * weights[index]! ** power : 0), 0)
            expect(weights.every((weight) => weight >= bounds.min && weight <= bounds.max)).toBe(true)
            expect(raked.effectiveN).toBeCloseTo(sumOver(() => true) ** 2 / sumOver(() => true, 2), 6)
            const differences = targets.flatMap((classes, question) =>
              classes.map((target, one) => {
                const all = sumOver(({ classes: own }) => own[question] !== null)
                return Math.abs(sumOver(({ classes: own }) => own[question] === one) / all - target)
              }),
            )
            expect(Math.max(...differences)).toBeCloseTo(raked.largestDifference, 8)
            expect(raked.converged).toBe(raked.largestDifference <= 1e-6)
            if (bounds === WIDE) {
              expect(raked.converged).toBe(true)
              const n = cells.reduce((sum, cell) => sum + cell.count, 0)
              expect(sumOver(() => true) / n).toBeCloseTo(1, 3)
            }
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})
