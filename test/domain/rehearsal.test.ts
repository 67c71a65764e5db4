import { describe, expect, test } from '@jest/globals'
import { rehearsalTask } from '../../src/domain/rehearsal/rehearse.ts'
import { addTally, emptyTally } from '../../src/domain/rehearsal/tally.ts'
import { compile } from '../../src/domain/structure/compile.ts'
import { newQuestion } from '../../src/domain/structure/edit/edit-question.ts'
import { numberStructure } from '../../src/domain/structure/numbering.ts'
import { fromStored } from '../../src/domain/structure/stored.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import { validateAnswers } from '../../src/domain/structure/validate-answers.ts'
import { languages } from '../../src/domain/text/catalog.ts'
import { type KnownKind, questionTypes } from '../../src/questions/index.ts'

const NOTHING = { pages: [], questions: [] }

const numbered = (form: unknown[], more: object = {}) =>
  numberStructure(normaliseStructure({ title: 'T', form, ...more }))

const rehearse = (structure: ReturnType<typeof numbered>, walks = 60, more: object = {}) =>
  rehearsalTask({ ...structure, seed: 1, first: 0, walks, unseen: NOTHING, ...more })

describe('simulated respondents', () => {
  const required = (kind: KnownKind) => {
    const question = newQuestion(kind, kind.replaceAll('-', '_'), 'en', { en: kind })
    return {
      ...question,
      required: true,
      children: question.children.map((child) => ({ ...child, required: true })),
    }
  }

  test('can answer a required question of every type in every language, with valid answers', () => {
    const form = Object.keys(questionTypes).map((kind) => ({ children: [required(kind as KnownKind)] }))
    const codes = Object.keys(languages)
    const structure = numbered(form, {
      languages: codes.map((code) => ({ code, name: code, isDefault: code === 'en' })),
    })
    const { tally } = rehearse(structure, codes.length * 4)
    expect(tally.obstacles).toEqual({})
    expect(tally.ends.complete).toBe(codes.length * 4)
    expect(Object.keys(tally.languages).sort()).toEqual(codes.toSorted())
    const q = compile(structure.structure)
    for (const { answers } of tally.samples) expect(validateAnswers(q, fromStored(q, answers))).toEqual([])
  })

  test.each([
    ['a length', { minLength: 30, maxLength: 40 }],
    ['an integer', { kind: 'integer', min: 1000, max: 1010 }],
    ['digits', { kind: 'integer', minLength: 5, maxLength: 5 }],
    ['a decimal number', { kind: 'number', max: -3 }],
    ['a telephone number', { kind: 'phone' }],
    ['an address', { kind: 'url', maxLength: 30 }],
    ['letters', { kind: 'letters', minLength: 20 }],
    ['an email address', { kind: 'email' }],
  ])('answer a text question that requires %s', (_, validation) => {
    const children = [{ idname: 'text-response', id: 'q', title: 'Q', children: [{ required: true, validation }] }]
    expect(rehearse(numbered([{ children }])).tally.obstacles).toEqual({})
  })

  test.each([
    ['limits and a step', { idname: 'slider', children: [{ required: true, min: -1, max: 1, step: 0.25 }] }],
    ['a negative number', { idname: 'number', children: [{ required: true, max: -7 }] }],
    ['decimals', { idname: 'number', children: [{ required: true, min: 0.5, max: 0.75, decimals: 2 }] }],
    ['a time of day', { idname: 'datetime', children: [{ required: true, format: 'time' }] }],
    [
      'several choices',
      {
        idname: 'multiple-choice',
        children: [
          { required: true, minSelected: 2, maxSelected: 2, choices: ['A', 'B', 'C', 'D'].map((label) => ({ label })) },
        ],
      },
    ],
  ])('answer a question that requires %s', (_, question) => {
    expect(rehearse(numbered([{ children: [{ id: 'q', title: 'Q', ...question }] }])).tally.obstacles).toEqual({})
  })

  const yesNo = (id: string, more: object = {}) => ({
    idname: 'single-choice',
    id,
    title: id,
    children: [{ required: true, choices: [{ label: 'Yes' }, { label: 'No' }] }],
    ...more,
  })

  test('see questions that appear while they answer, with and without scripts, and choose only offered choices', () => {
    const places = {
      idname: 'dropdown-choice',
      id: 'place',
      title: 'Where?',
      children: [
        {
          required: true,
          choiceFilter: [{ question: 'land', attribute: 'land' }],
          choices: [1, 2, 3, 4].map((n) => ({ label: `P${n}`, attributes: { land: String(1 + (n % 2)) } })),
        },
      ],
    }
    const land = {
      idname: 'single-choice',
      id: 'land',
      title: 'Land?',
      children: [{ required: true, choices: [{ label: 'A' }, { label: 'B' }] }],
    }
    const more = yesNo('more', { condition: { all: [{ question: 'place', op: 'eq', value: 3 }] } })
    const structure = numbered([{ children: [land, places, more] }])
    for (const first of [0, 1, 2, 3]) {
      const { tally } = rehearse(structure, 40, { first })
      expect(tally.ends).toMatchObject({ complete: 40, stuck: 0 })
      expect(tally.questions.more).toBeGreaterThan(0)
      const q = compile(structure.structure)
      for (const { answers } of tally.samples) {
        const { land: chosen, place } = fromStored(q, answers)
        expect((Number(place) + 1) % 2).toBe(Number(chosen))
      }
    }
  })

  test('look for what no one has seen, along rules that a random answer rarely fulfils', () => {
    const digits = Array.from({ length: 6 }, (_, index) => ({
      idname: 'rating',
      id: `d${index}`,
      title: 'Digit',
      children: [{ steps: 10 }],
    }))
    const all = digits.map(({ id }, index) => ({ question: id, op: 'eq', value: index + 2 }))
    const structure = numbered([
      { children: digits },
      { condition: { all }, children: [yesNo('rare')] },
      { children: [yesNo('end')] },
    ])
    const found = (unseen: object) => rehearse(structure, 200, { first: 500, unseen }).tally.questions.rare ?? 0
    expect(found({ pages: [2], questions: [] })).toBeGreaterThan(found(NOTHING) + 5)
  })

  test('stop when a survey makes too much work', () => {
    const condition = (page: number) => ({
      any: Array.from({ length: 60 }, (_, index) => ({
        question: `q${Math.max(0, page - 1 - (index % 20))}`,
        op: 'ne',
        value: 1,
      })),
    })
    const form = Array.from({ length: 400 }, (_, page) => ({
      children: [yesNo(`q${page}`, page > 0 ? { condition: condition(page) } : {})],
    }))
    const { tally, work } = rehearse(numbered(form), 500)
    expect(tally.walks).toBeLessThan(500)
    expect(tally.ends.abandoned).toBeLessThanOrEqual(1)
    expect(work).toBeLessThan(4_000_000)
  })

  test('give the same tally, whether it is added up from one task or from several', () => {
    const structure = numbered([
      { children: [yesNo('a')], skip: [{ when: { question: 'a', op: 'eq', value: 1 }, to: 'terminate' }] },
      { children: [yesNo('b')] },
    ])
    const sum = emptyTally()
    for (const first of [0, 20, 40]) addTally(sum, rehearse(structure, 20, { first }).tally)
    const { seconds, languages: _, samples: __, ...counts } = rehearse(structure, 60).tally
    expect(sum).toMatchObject({
      ...counts,
      paths: Object.fromEntries(
        Object.entries(counts.paths).map(([key, { walks }]) => [key, expect.objectContaining({ walks })]),
      ),
    })
    expect(sum.seconds.sum).toBeCloseTo(seconds.sum, 6)
  })
})
