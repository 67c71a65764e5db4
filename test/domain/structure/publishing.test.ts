import { describe, expect, test } from '@jest/globals'
import { compile } from '../../../src/domain/structure/compile.ts'
import { pagePath } from '../../../src/domain/structure/flow.ts'
import { numberStructure } from '../../../src/domain/structure/numbering.ts'
import { checkForPublishing } from '../../../src/domain/structure/publishing/findings.ts'
import { deadParts } from '../../../src/domain/structure/publishing/paths.ts'
import { MAX_WORK, PossibleAnswers } from '../../../src/domain/structure/publishing/possible-answers.ts'
import type { Answer, Answers, Questionnaire } from '../../../src/domain/structure/questionnaire.ts'
import { matchingQuotas } from '../../../src/domain/structure/quota.ts'
import { normaliseStructure, type Structure } from '../../../src/domain/structure/structure.ts'
import { answersOnPath, evaluationOf, shownQuestions } from '../../../src/domain/structure/visibility.ts'
import fc from '../../support/fast-check.ts'

type Rules = { all: unknown[] } | { any: unknown[] }

const rule = (question: string, op: string, value?: unknown) => ({
  question,
  op,
  ...(value !== undefined && { value }),
})

const question = (id: string, more: object = {}) => ({
  idname: 'single-choice',
  id,
  title: id,
  children: [{ choices: [{ label: 'Yes' }, { label: 'No' }] }],
  ...more,
})

const structureOf = (form: unknown[], more: object = {}): Structure =>
  numberStructure(normaliseStructure({ title: 'T', form, ...more })).structure

const deadIn = (form: unknown[], more: object = {}) =>
  deadParts(compile(structureOf(form, more))).map(({ pointer, reason }) => `${pointer} ${reason}`)

describe('parts of a survey that no respondent can reach', () => {
  const required = { children: [{ required: true, choices: [{ label: 'Yes' }, { label: 'No' }] }] }

  test('are a page that every path skips, and a question that contradicts the path to its page', () => {
    expect(
      deadIn([
        { children: [question('a', required)], skip: [{ when: rule('a', 'eq', 0), to: 3 }] },
        { children: [question('b', { condition: rule('a', 'eq', 0) }), question('c')] },
        {
          children: [question('d', { condition: { all: [rule('b', 'answered')] } }), question('x')],
          skip: [{ to: 'complete' }],
        },
        { children: [question('e')] },
      ]),
    ).toEqual(['/form/1/children/0 path', '/form/2/children/0 rules', '/form/3 path'])
  })

  test.each([
    ['a choice', {}, { all: [rule('a', 'eq', 0), rule('a', 'eq', 1)] }],
    ['a label', {}, { all: [rule('a', 'eq', 'Yes'), rule('a', 'ne', 'Yes')] }],
    ['all choices of a required question', required, { all: [rule('a', 'ne', 0), rule('a', 'ne', 1)] }],
    ['a number', { idname: 'number', children: [{}] }, { all: [rule('a', 'gt', 5), rule('a', 'lt', 6)] }],
    ['a limit', { idname: 'number', children: [{ max: 10 }] }, rule('a', 'gt', 10)],
    ['a text', { idname: 'text-response', children: [{}] }, { all: [rule('a', 'eq', 'x'), rule('a', 'ne', 'X')] }],
    [
      'ticks',
      { idname: 'multiple-choice' },
      { all: [rule('a', 'contains', 0), { any: [rule('a', 'eq', [1]), rule('a', 'unanswered')] }] },
    ],
    [
      'a date',
      { idname: 'datetime', children: [{ format: 'date' }] },
      { all: [rule('a', 'gt', '2026-01-01'), rule('a', 'lt', '2026-01-02')] },
    ],
    [
      'yes and no',
      { idname: 'boolean-choice', children: [{}] },
      { all: [rule('a', 'eq', true), rule('a', 'ne', 'Yes')] },
    ],
    ['a rating', { idname: 'rating', children: [{ steps: 5 }] }, rule('a', 'gt', 5)],
    ['nothing at all', {}, { any: [] }],
  ])('are a question and a quota whose rules contradict each other about %s', (_, more, condition) => {
    const form = [{ children: [question('a', more)] }, { children: [question('b', { condition }), question('c')] }]
    const quotas = [{ name: 'q', limit: 1, action: 'close', when: condition }]
    const isRequired = more === required
    expect(deadIn(form, { quotas })).toEqual(['/form/1/children/0 rules', ...(isRequired ? [] : ['/quotas/0 rules'])])
  })

  test('are not those that an unusual answer reaches', () => {
    const number = { idname: 'number', children: [{ decimals: 1 }] }
    const form = [
      { children: [question('n', number), question('m', { idname: 'multiple-choice' }), question('a')] },
      {
        children: [
          question('b', { condition: { all: [rule('n', 'gt', 5), rule('n', 'lt', 6)] } }),
          question('c', { condition: { all: [rule('m', 'contains', 0), rule('m', 'ne', [0])] } }),
          question('d', { condition: { all: [rule('a', 'ne', 0), rule('a', 'ne', 1)] } }),
        ],
      },
    ]
    expect(deadIn(form)).toEqual([])
  })

  const DOMAINS: Readonly<Record<string, readonly Answer[]>> = {
    single: [0, 1, 2],
    multi: [[0], [1], [0, 1]],
    number: [0, 1, 2],
    text: ['x', 'y', '7'],
  }
  const SOURCES: Readonly<Record<string, object>> = {
    single: { idname: 'single-choice', children: [{ choices: ['A', 'B', 'C'].map((label) => ({ label })) }] },
    multi: { idname: 'multiple-choice', children: [{ choices: ['A', 'B'].map((label) => ({ label })) }] },
    number: { idname: 'number', children: [{ min: 0, max: 2 }] },
    text: { idname: 'text-response', children: [{}] },
  }
  const kind = fc.constantFrom(...Object.keys(SOURCES))
  const op = fc.constantFrom('eq', 'ne', 'lt', 'gt', 'contains', 'not_contains', 'answered', 'unanswered')
  /** Rules about the questions before a position, which the test fills in. */
  const anyRules = fc.array(fc.record({ at: fc.nat(9), op, value: fc.nat(2) }), { minLength: 1, maxLength: 3 })
  const conditionShape = fc.option(fc.record({ isAll: fc.boolean(), rules: anyRules }), { freq: 2 })
  const pageShape = fc.record({
    condition: conditionShape,
    questions: fc.array(fc.record({ kind, isRequired: fc.boolean(), condition: conditionShape }), {
      minLength: 1,
      maxLength: 2,
    }),
    skips: fc.array(fc.record({ when: conditionShape, to: fc.constantFrom(2, 3, 4, 'complete', 'terminate') }), {
      maxLength: 2,
    }),
  })

  function surveyOf(pages: (typeof pageShape extends fc.Arbitrary<infer P> ? P : never)[]) {
    const kinds = pages.flatMap((page) => page.questions.map((one) => one.kind))
    const conditionOf = (
      shape: { isAll: boolean; rules: { at: number; op: string; value: number }[] } | null,
      before: number,
    ) => {
      if (!shape || before === 0) return undefined
      const rules = shape.rules.map(({ at, op: operator, value }) => {
        const index = at % before
        const values = DOMAINS[kinds[index]!]!
        const isUnary = operator === 'answered' || operator === 'unanswered'
        const plain = values[value % values.length]!
        return rule(
          `q${index}`,
          operator,
          isUnary ? undefined : operator.endsWith('contains') && Array.isArray(plain) ? plain[0] : plain,
        )
      })
      return (shape.isAll ? { all: rules } : { any: rules }) as Rules
    }
    let position = 0
    const form = pages.map((page, index) => {
      const first = position
      const children = page.questions.map((one) => {
        const source = structuredClone(SOURCES[one.kind]!) as { children: object[] }
        Object.assign(source.children[0]!, { required: one.isRequired })
        const condition = conditionOf(one.condition, position)
        return { ...source, id: `q${position++}`, title: 'Q', ...(condition && { condition }) }
      })
      const condition = conditionOf(page.condition, first)
      const skip = page.skips.flatMap(({ when, to }) => {
        const own = conditionOf(when, position)
        return typeof to === 'number' && (to <= index + 1 || to > pages.length)
          ? []
          : [{ to, ...(own && { when: own }) }]
      })
      return { children, skip, ...(condition && { condition }) }
    })
    return { q: compile(structureOf(form)), kinds }
  }

  /** Returns the parts that a respondent reaches with any answers, by brute force. */
  function reachedParts(q: Questionnaire, kinds: readonly string[]): Set<string> {
    const reached = new Set<string>()
    const visit = (answers: Record<string, Answer>, index: number): void => {
      if (index < kinds.length) {
        visit(answers, index + 1)
        for (const value of DOMAINS[kinds[index]!]!) visit({ ...answers, [`q${index}`]: value }, index + 1)
        return
      }
      const onPath: Answers = answersOnPath(q, answers)
      if (Object.keys(onPath).length !== Object.keys(answers).length) return
      for (const page of pagePath(q, onPath)) {
        reached.add(`/form/${page - 1}`)
        const shown = shownQuestions(q, page, onPath)
        for (const one of shown) reached.add(one.pointer)
        // A respondent cannot leave a page without an answer to a required question.
        if (shown.some((one) => one.required && !(one.id in onPath))) return
        const evaluation = evaluationOf(q, onPath)
        const skip = q.pages[page - 1]!.skips.findIndex(({ when }) => !when || evaluation.holds(when, page))
        if (skip >= 0) reached.add(`/form/${page - 1}/skip/${skip}`)
      }
      for (const quota of matchingQuotas(q, onPath)) reached.add(`/quotas/${q.quotas.indexOf(quota)}`)
    }
    visit({}, 0)
    return reached
  }

  test('are never parts that some answers reach', () => {
    let dead = 0
    fc.assert(
      fc.property(fc.array(pageShape, { minLength: 1, maxLength: 4 }), (pages) => {
        const { q, kinds } = surveyOf(pages.slice(0, 3))
        const reached = reachedParts(q, kinds)
        const found = deadParts(q)
        dead += found.length
        expect(found.filter(({ pointer }) => reached.has(pointer))).toEqual([])
      }),
      { numRuns: 300 },
    )
    expect(dead).toBeGreaterThan(20)
  })

  test('are looked for with limited work, whatever the rules are', () => {
    const all = Array.from({ length: 2000 }, (_, index) => rule('m', index % 2 ? 'contains' : 'ne', index % 50))
    const choices = Array.from({ length: 50 }, (_, index) => ({ label: `C${index}` }))
    const any = Array.from({ length: 40 }, (_, index) => ({ any: all.slice(index, index + 40) }))
    const form = [
      { children: [question('m', { idname: 'multiple-choice', children: [{ choices }] })] },
      ...Array.from({ length: 40 }, (_, index) => ({
        children: [question(`q${index}`, { condition: { all: [...any, { all: all.slice(0, 200) }] } })],
      })),
    ]
    const q = compile(structureOf(form))
    const possible = new PossibleAnswers(q)
    for (const { condition } of q.questions)
      if (condition) possible.where(condition, true, new Set(), () => [new Map()])
    expect(possible.work).toBeLessThan(MAX_WORK * 1.1)
    expect(possible.work).toBeGreaterThan(1000)
  })
})

describe('the check of a structure before it is published', () => {
  const check = (form: unknown[], published: unknown[] = form, more: object = {}) =>
    checkForPublishing(
      { structure: structureOf(form, more), removed: [] },
      { published: structureOf(published, more), hasSystemTexts: () => true },
    ).findings.map(({ code, pointer }) => `${code} ${pointer}`)

  test('accepts a title, a description or a statement as the text of a question, and needs none for what respondents do not see', () => {
    const children = [
      question('a', { title: '  ' }),
      question('b', { title: '', description: 'Choose.' }),
      { idname: 'consent', id: 'c', children: [{ statement: 'I agree to this.' }] },
      { idname: 'hidden-field', id: 'h' },
      { idname: 'section-separator', id: 's', title: 'Part 2' },
    ]
    expect(check([{ children }])).toEqual(['untitled_question /form/0/children/0'])
  })

  test('regards hidden fields, calculations and headings as no questions', () => {
    const children = [
      { idname: 'hidden-field', id: 'h' },
      { idname: 'calculation', id: 'c', title: 'Sum', children: [{ expression: '1' }] },
      { idname: 'section-separator', id: 's', title: 'Part 2' },
    ]
    expect(check([{ children }])).toEqual(['no_questions /form'])
  })

  test('finds default labels of choices, columns and rows', () => {
    const grid = {
      idname: 'single-choice-grid',
      id: 'g',
      title: 'Grid',
      choices: [{ label: 'Choice 1' }, { label: 'Bad' }],
      children: [{ label: 'Row 1' }],
    }
    expect(check([{ children: [grid, question('a')] }])).toEqual([
      'default_choice /form/0/children/0/choices/0',
      'default_choice /form/0/children/0/children/0',
    ])
  })

  test('finds default labels in the language of their text', () => {
    const children = [
      question('a', { children: [{ choices: [{ label: { de: 'Möglichkeit 1' } }, { label: { de: 'Choix 2' } }] }] }),
    ]
    const languages = [{ code: 'de', isDefault: true }]
    expect(check([{ children }], undefined, { languages })).toEqual([
      'default_choice /form/0/children/0/children/0/choices/0',
    ])
  })

  test('finds scores that do not follow the order after a move, but no reversed scale', () => {
    const scored = (...scores: number[]) => [
      {
        children: [question('a', { children: [{ choices: scores.map((score) => ({ label: `L${score}`, score })) }] })],
      },
    ]
    expect(check(scored(1, 3, 2))).toEqual(['score_order /form/0/children/0'])
    expect(check(scored(3, 2, 1))).toEqual([])
    expect(check(scored(3, 2, 1), scored(1, 2, 3))).toEqual(['score_order /form/0/children/0'])
    expect(check(scored(0, 10, 5))).toEqual([])
  })

  test('contains the warnings of the structure', () => {
    expect(check([{ children: [question('code'), question('a', { requird: true })] }])).toEqual([
      'unknown_member /form/0/children/1/requird',
      'reserved_id /form/0/children/0/id',
    ])
  })

  test('lists a limited number of findings of each kind, and counts all', () => {
    const children = Array.from({ length: 80 }, (_, index) => ({ idname: 'text-response', id: `q${index}` }))
    const languages = [{ code: 'en', isDefault: true }, ...['de', 'fr', 'it'].map((code) => ({ code, name: code }))]
    const structure = structureOf([{ children }, { children: [question('a')] }], { languages })
    const context = { published: structure, hasSystemTexts: () => true }
    const { findings, total } = checkForPublishing({ structure, removed: [] }, context)
    expect(findings.filter(({ code }) => code === 'untitled_question')).toHaveLength(50)
    expect(findings.filter(({ code }) => code === 'untranslated_text')).toHaveLength(3 * 4)
    expect(total).toBe(80 + 3 * 4)
  })
})

describe('pages in random order', () => {
  test('are reported if they need another page of their block, or skip before its end', () => {
    const block = { randomBlock: 'x' }
    const form = [
      { children: [question('a')] },
      { ...block, children: [question('b')], skip: [{ to: 'complete', when: rule('b', 'eq', 0) }] },
      { ...block, children: [question('c', { condition: rule('b', 'eq', 0) })] },
      { ...block, title: 'You said {{ c }}', condition: rule('a', 'eq', 0), children: [question('d')] },
      {
        ...block,
        children: [question('e', { title: '{{ d | default: "none" }} and {{ a }}' })],
        skip: [{ to: 'complete' }],
      },
      { children: [question('f', { condition: rule('b', 'eq', 0) })] },
    ]
    const structure = numberStructure(normaliseStructure({ title: 'T', form }))
    const { findings } = checkForPublishing(structure, { published: structure.structure, hasSystemTexts: () => true })
    expect(findings.filter(({ code }) => code.startsWith('order')).map(({ pointer, code }) => [pointer, code])).toEqual(
      [
        ['/form/1/skip/0', 'order_dependent_skip'],
        ['/form/2/children/0/condition', 'order_dependent'],
        ['/form/3', 'order_dependent'],
      ],
    )
  })
})
