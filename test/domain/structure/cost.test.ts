import { describe, expect, test } from '@jest/globals'
import { evaluationWork } from '../../../src/domain/structure/answer-cache.ts'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { holds } from '../../../src/domain/structure/condition.ts'
import { searchedCharacters } from '../../../src/domain/structure/cost.ts'
import type { Answer, RuleOperator } from '../../../src/domain/structure/questionnaire.ts'
import { evaluationOf } from '../../../src/domain/structure/visibility.ts'
import fc from '../../support/fast-check.ts'
import { compiled, everything, single, survey, text } from './sample.ts'

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))
const rows = (count: number) => times(count, () => ({ label: 'r' }))
const choiceGrid = (count: number) => ({
  idname: 'single-choice-grid',
  id: 'g',
  identifier: 'grid',
  choices: times(15, (index) => ({ label: `c${index}` })),
  children: rows(count),
})
const textGrid = (count: number) => ({ idname: 'text-response-grid', id: 'g', children: rows(count) })
const rules = (count: number, rule: object) => ({ all: times(count, () => ({ question: 'g', ...rule })) })
const calculation = (id: string, expression: string) => ({ idname: 'calculation', id, title: id, expression })

/** Returns the first error of a structure as `<pointer> <code> <maximum>`. */
function firstError(structure: unknown): string | undefined {
  const [error] = checkStructure(structure)
  return error && `${error.field} ${error.code} ${error.params?.max}`
}
const conditional = (grid: Record<string, unknown>, condition: object) =>
  survey([[grid], [text('t', {}, { condition })]])
const at = '/form/1/children/0'

describe('checkStructure: the number of comparisons', () => {
  test.each<[string, unknown, string]>([
    [
      'rules on all rows of a grid',
      conditional(choiceGrid(1000), rules(9900, { op: 'eq', value: 14 })),
      `${at}/condition/all/100 too_complex 100000`,
    ],
    [
      'rules that name the grid by its identifier',
      conditional(choiceGrid(1000), rules(101, { question: 'grid', op: 'eq', value: 14 })),
      `${at}/condition/all/100 too_complex 100000`,
    ],
    [
      'rules that compare numbers',
      conditional(textGrid(1000), rules(1000, { op: 'gt', value: '9'.repeat(200) })),
      `${at}/condition/all/100 too_complex 100000`,
    ],
    [
      'rules that search texts',
      conditional(textGrid(1000), rules(100, { op: 'contains', value: 'x' })),
      `${at}/condition/all/10 too_complex 10000`,
    ],
    [
      'rules with lists of values',
      conditional(textGrid(200), rules(11, { op: 'eq', value: times(100, (index) => index) })),
      `${at}/condition/all/5 too_complex 100000`,
    ],
    [
      'calculations that use a grid several times',
      survey([
        [choiceGrid(1000)],
        times(100, (index) => calculation(`c${index}`, times(160, () => '{{g}}').join('+'))),
      ]),
      `${at}/expression too_complex 100000`,
    ],
    [
      'calculations with many numbers',
      survey([times(201, (index) => calculation(`c${index}`, times(500, () => '1').join('+')))]),
      '/form/0/children/200/expression too_complex 100000',
    ],
    [
      'skips and quotas together',
      {
        title: 'T',
        form: [
          { children: [choiceGrid(1000)], skip: [{ to: 2, when: rules(60, { op: 'eq', value: 1 }) }] },
          { children: [text('t')] },
        ],
        quotas: [{ name: 'q', limit: 1, action: 'close', when: rules(60, { op: 'eq', value: 1 }) }],
      },
      '/quotas/0/when/all/40 too_complex 100000',
    ],
    [
      'placeholders on a page',
      survey([
        [text('a')],
        times(6, (index) => single(`s${index}`, { choices: times(1000, () => ({ label: '{{a}}'.repeat(20) })) })),
      ]),
      '/form/1/children/5 too_complex 100000',
    ],
  ])('rejects too many: %s', (_, structure, expected) => expect(firstError(structure)).toBe(expected))

  test.each<[string, unknown]>([
    ['100 rules on 1,000 rows', conditional(choiceGrid(1000), rules(100, { op: 'eq', value: 14 }))],
    ['9,900 rules on one row', conditional(choiceGrid(1000), rules(9900, { question: 'g_7', op: 'eq', value: 14 }))],
    ['10 searches in 1,000 rows', conditional(textGrid(1000), rules(10, { op: 'contains', value: 'x' }))],
    [
      'a calculation of 100 rows',
      survey([[choiceGrid(1000)], [calculation('c', times(90, (n) => `{{g_${n}}}`).join('+'))]]),
    ],
  ])('accepts %s', (_, structure) => expect(firstError(structure)).toBeUndefined())
})

describe('evaluationOf', () => {
  const filled = (count: number, value: Answer) =>
    Object.fromEntries(times(count, (index) => [`g_${index}`, value] as const))
  /** Returns the work of a function. */
  function workOf(run: () => unknown) {
    const before = { ...evaluationWork }
    run()
    const { comparisons, pages, answers } = evaluationWork
    return {
      comparisons: comparisons - before.comparisons,
      pages: pages - before.pages,
      answers: answers - before.answers,
    }
  }

  test('converts each row once, however many rules compare it', () => {
    const q = compiled(conditional(choiceGrid(1000), rules(100, { op: 'ne', value: 14 })))
    const answers = filled(1000, 3)
    expect(workOf(() => evaluationOf(q, answers).answersOnPath())).toEqual({
      comparisons: 100_000,
      pages: 2,
      answers: 1000,
    })
    expect(workOf(() => evaluationOf(q, answers).visibleQuestions(2))).toEqual({ comparisons: 0, pages: 0, answers: 0 })
  })

  test('adds up a grid once for all calculations that use it', () => {
    const calculations = times(6, (index) => calculation(`c${index}`, times(16, () => '{{g}}').join('+')))
    const q = compiled(survey([[choiceGrid(1000)], calculations]))
    const evaluation = evaluationOf(q, filled(1000, 1))
    expect(workOf(() => evaluation.answersOnPath()).answers).toBe(1000)
    expect(evaluation.answersOnPath().c5).toBe(16 * 2000)
  })

  test('evaluates no page after the one that is asked for', () => {
    const pages = times(50, (index) => [
      text(`t${index}`, {}, index > 0 ? { condition: { all: [{ question: `t${index - 1}`, op: 'answered' }] } } : {}),
    ])
    const q = compiled(survey(pages))
    const answers = { t0: 'a', t1: 'b' }
    expect(workOf(() => evaluationOf(q, answers).visibleQuestions(3)).pages).toBe(3)
    expect(workOf(() => evaluationOf(q, answers).visibleQuestions(4)).pages).toBe(1)
  })

  test('uses the changed value of a calculation in later rules and calculations', () => {
    const q = compiled(
      survey([
        [
          text('a'),
          calculation('c', '{{a}} * 2'),
          calculation('d', '{{c}} + 1'),
          text('t', {}, { condition: { all: [{ question: 'c', op: 'gt', value: 5 }] } }),
        ],
      ]),
    )
    expect({ ...evaluationOf(q, { a: '3', c: 1, d: 1, t: 'x' }).answersOnPath() }).toEqual({
      a: '3',
      c: 6,
      d: 7,
      t: 'x',
    })
  })
})

describe('searchedCharacters', () => {
  const searching = (count: number, questions: object[]) =>
    compiled(survey([questions as never, [text('t', {}, { condition: rules(count, { op: 'contains', value: 'x' }) })]]))
  test('is 10,000 up to 1,000 comparisons, and at most ten million characters for all comparisons', () => {
    expect(searchedCharacters(searching(1000, [text('g')]))).toBe(10_000)
    expect(searchedCharacters(searching(10, [textGrid(1000)]))).toBe(1000)
  })
})

describe('holds', () => {
  const q = everything()
  const operators: RuleOperator[] = ['eq', 'lt', 'gt', 'contains', 'answered']
  const values = [0, 1, 2, '1', 'Good', 'a', '2', ' ', '', '1.0', true, [0, 1]]

  test('is true for a grid if and only if it is true for one of its rows', () => {
    const row = fc.option(fc.constantFrom<Answer>(0, 1, 2, -3, 'a', 'ab', '1', ' ', ''), { nil: undefined })
    const rule = fc.record({ op: fc.constantFrom(...operators), value: fc.constantFrom<unknown>(...values) })
    fc.assert(
      fc.property(fc.constantFrom('rate', 'notes'), row, row, rule, (question, first, second, { op, value }) => {
        const given = {
          ...(first !== undefined && { [`${question}_0`]: first }),
          ...(second !== undefined && { [`${question}_1`]: second }),
        }
        const one = (name: string, operator: RuleOperator = op) =>
          holds({ question: name, op: operator, value }, q, given)
        expect(one(question)).toBe(one(`${question}_0`) || one(`${question}_1`))
        if (op === 'eq') expect(one(question, 'ne')).toBe(!one(question))
        if (op === 'answered') expect(one(question, 'unanswered')).toBe(!one(question))
      }),
    )
  })
})
