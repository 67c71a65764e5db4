import { expect, test } from '@jest/globals'
import { compile } from '../../../src/domain/structure/compile.ts'
import { parseAnswers } from '../../../src/domain/structure/parse-answers.ts'
import { scoreOf } from '../../../src/domain/structure/score.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import fc from '../../support/fast-check.ts'

const scores = fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { nil: undefined }), {
  minLength: 3,
  maxLength: 3,
})
const choicesWith = (scores: readonly (number | undefined)[]) =>
  scores.map((score, index) => ({ label: `Choice ${index}`, ...(score !== undefined && { score }) }))

/**
 * Returns the score of a choice: the score that the author set, otherwise the position of the choice counted from 1
 * (docs/specification.md 6.6).
 */
const expectedScore = (scores: readonly (number | undefined)[], index: number) => scores[index] ?? index + 1

/** Returns the sum of the numbers that are present; null if none is present. */
const sum = (parts: readonly (number | undefined | null)[]) => {
  const present = parts.filter((part) => part !== undefined && part !== null)
  return present.length === 0 ? null : present.reduce((total, part) => total + part, 0)
}

test('scoreOf returns the sum of the scores of the chosen choices for every kind of question', () => {
  const pick = fc.option(fc.nat(2), { nil: undefined })
  const all = fc.record({
    single: scores,
    multiple: scores,
    grid: scores,
    one: pick,
    many: fc.option(fc.uniqueArray(fc.nat(2), { minLength: 1 }), { nil: undefined }),
    rows: fc.tuple(pick, pick),
    nps: fc.option(fc.nat(10), { nil: undefined }),
    order: fc.boolean(),
  })
  fc.assert(
    fc.property(all, ({ single, multiple, grid, one, many, rows, nps, order }) => {
      const option = (type: string, choices: object[]) => [{ type, choices }]
      const q = compile(
        normaliseStructure({
          title: 'Scores',
          form: [
            { idname: 'single-choice', id: 'one', title: 'One', children: option('single', choicesWith(single)) },
            {
              idname: 'multiple-choice',
              id: 'many',
              title: 'Many',
              children: option('multiple', choicesWith(multiple)),
            },
            {
              idname: 'single-choice-grid',
              id: 'grid',
              title: 'Grid',
              choices: choicesWith(grid),
              children: [{ label: 'A' }, { label: 'B' }],
            },
            { idname: 'net-promoter', id: 'nps', title: 'Recommend?' },
            { idname: 'ranking', id: 'order', title: 'Order', children: option('ranking', choicesWith(single)) },
          ],
        }),
      )
      const picked = { one, many, grid_0: rows[0], grid_1: rows[1], nps, ...(order && { order: [2, 0, 1] }) }
      const submitted = Object.fromEntries(Object.entries(picked).filter(([, value]) => value !== undefined))
      const { answers, errors } = parseAnswers(q, submitted, 'strict')
      expect(errors).toEqual([])
      const chosen = [
        one === undefined ? undefined : expectedScore(single, one),
        ...(many ?? []).map((index) => expectedScore(multiple, index)),
        ...rows.map((row) => (row === undefined ? undefined : expectedScore(grid, row))),
        nps,
      ]
      expect(scoreOf(q, answers)).toBe(sum(chosen))
    }),
  )
})
