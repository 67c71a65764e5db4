import { describe, expect, test } from '@jest/globals'
import { cohensKappa, krippendorffsAlpha, type Ratings } from '../../../src/domain/response/coding/agreement.ts'

/**
 * The values of several coders, a string each: `1` in the category, `0` not, `-` not coded. The expected figures were
 * computed by the Python packages krippendorff 0.9.0 (alpha, nominal) and scikit-learn 1.9.1 (kappa) in November 2026.
 */
const FROZEN: readonly [name: string, coders: readonly string[], alpha: number, kappa: number | null][] = [
  [
    'Krippendorff (2011), example A: two coders, binary, published as 0.095',
    ['0100000010', '1110010000'],
    0.09523809523809534,
    0.09090909090909094,
  ],
  // Example C of the same paper has five values; here, each value is a category.
  ...(
    [
      [1, 0.7204301075268817],
      [2, 0.6666666666666667],
      [3, 0.74],
      [4, 0.7771428571428571],
      [5, 1],
    ] as const
  ).map(
    ([value, alpha]) =>
      [
        `Krippendorff (2011), example C: four coders with missing values, value ${value}`,
        ['123321412---', '1233224125-3', '-3332342251-', '12332441251-'].map((row) =>
          row.replace(/\d/g, (digit) => String(Number(Number(digit) === value))),
        ),
        alpha,
        null,
      ] as [string, string[], number, null],
  ),
  [
    'two coders with missing values',
    ['0-0011100-0--000-0-01--0-01010', '101-01-01000-001-001100010-010'],
    0.27083333333333326,
    0.2894736842105263,
  ],
  [
    'three coders with missing values',
    ['-00101010--00-010-0111-00-00-0', '0--11-1100--01-001-1000-11-0-1', '01000011-00--000101110010100-0'],
    0.0625,
    null,
  ],
  [
    'five coders with missing values',
    [
      '10000-00000100100001--00010-11',
      '010101-011--101-100-10-0110001',
      '00000010-0-10--001101000010101',
      '1001---1-0000010000010001-010-',
      '0-00000-10000000-00-100-0-01-1',
    ],
    0.25087719298245603,
    null,
  ],
]

/** Returns the values of each answer. */
const answersOf = (coders: readonly string[]): string[] =>
  [...coders[0]!].map((_, index) => coders.map((row) => row[index]!).join(''))

const ratingsOf = (coders: readonly string[]): Ratings[] =>
  answersOf(coders).map((values) => ({
    coders: values.replaceAll('-', '').length,
    positive: values.replace(/[^1]/g, '').length,
    answers: 1,
  }))

describe('krippendorffsAlpha', () => {
  test.each(FROZEN)('agrees with an independent program: %s', (_name, coders, alpha) => {
    expect(krippendorffsAlpha(ratingsOf(coders))).toBeCloseTo(alpha, 12)
  })

  test('does not depend on the order of answers, or on how they are grouped', () => {
    const ratings = ratingsOf(FROZEN.at(-1)![1])
    const alpha = krippendorffsAlpha(ratings)!
    expect(krippendorffsAlpha(ratings.toReversed())).toBeCloseTo(alpha, 12)
    expect(krippendorffsAlpha([...ratings, { coders: 1, positive: 1, answers: 9 }])).toBeCloseTo(alpha, 12)
    const grouped = Map.groupBy(ratings, ({ coders, positive }) => `${coders} ${positive}`)
    expect(
      krippendorffsAlpha([...grouped.values()].map((same) => ({ ...same[0]!, answers: same.length }))),
    ).toBeCloseTo(alpha, 12)
  })

  test('is 1 for perfect agreement, and not defined if nothing differs', () => {
    expect(krippendorffsAlpha(ratingsOf(['10', '10']))).toBe(1)
    for (const coders of [['11', '11'], ['00', '00'], ['1-', '-1'], ['']])
      expect(krippendorffsAlpha(ratingsOf(coders))).toBeNull()
  })
})

describe('cohensKappa', () => {
  const pairOf = (coders: readonly string[]) => {
    const pairs = answersOf(coders).filter((values) => !values.includes('-'))
    return {
      answers: pairs.length,
      both: pairs.filter((values) => values === '11').length,
      first: pairs.filter((values) => values[0] === '1').length,
      second: pairs.filter((values) => values[1] === '1').length,
    }
  }

  test.each(FROZEN.filter(([, , , kappa]) => kappa !== null))(
    'agrees with an independent program: %s',
    (_name, coders, _alpha, kappa) => {
      expect(cohensKappa(pairOf(coders))).toBeCloseTo(kappa!, 12)
    },
  )

  test('is 0.4 for the table 20, 5, 10, 15 (statsmodels 0.15.0)', () => {
    expect(cohensKappa({ answers: 50, both: 20, first: 25, second: 30 })).toBeCloseTo(0.4, 12)
  })

  test('is not defined without answers, or if both coders gave all answers the same value', () => {
    for (const coders of [
      ['-1', '1-'],
      ['11', '11'],
      ['00', '00'],
    ])
      expect(cohensKappa(pairOf(coders))).toBeNull()
  })
})
