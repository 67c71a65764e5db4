import { describe, expect, test } from '@jest/globals'
import { ANSWER_REQUIRED } from '../../../src/domain/structure/answer-error.ts'
import type { Answer } from '../../../src/domain/structure/questionnaire.ts'
import { validateAnswers } from '../../../src/domain/structure/validate-answers.ts'
import { ask, choices, compiled, grid, multi, single, survey, text } from './sample.ts'

const errorsOf = (question: Record<string, unknown>, answer?: Answer) =>
  validateAnswers(compiled(survey([[question]])), answer === undefined ? {} : { [String(question.id)]: answer })

describe('validateAnswers: required [spec 6.5]', () => {
  test.each([
    [text('a', { required: true }), undefined],
    [text('a', { required: true }), '   '],
    [single('a', { required: true }), undefined],
    [multi('a', { required: true }), []],
    [ask('boolean-choice', 'a', { required: true }), undefined],
    [ask('net-promoter', 'a', { required: true }), undefined],
  ])('reports the missing answer of example %#', (question, answer) => {
    expect(errorsOf(question, answer)).toEqual([{ field: 'a', ...ANSWER_REQUIRED }])
  })
  test.each([
    [single('a', { required: true }), 0],
    [ask('boolean-choice', 'a', { required: true }), false],
    [text('a'), undefined],
    [ask('hidden-field', 'a', { required: true }), undefined],
  ])('accepts example %#', (question, answer) => expect(errorsOf(question, answer)).toEqual([]))

  test('checks each row of a grid', () => {
    const rows = [
      { type: 'single', label: 'A', required: true },
      { type: 'single', label: 'B' },
    ]
    const missing = (more: Record<string, unknown>) =>
      validateAnswers(compiled(survey([[grid('g', { children: rows, ...more })]])), {}).map(({ field }) => field)
    expect(missing({})).toEqual(['g_0'])
    expect(missing({ required: true })).toEqual(['g_0', 'g_1'])
  })
})

describe('validateAnswers: text validation [spec 6.5]', () => {
  test.each([
    [
      'email',
      ['a@b.co', 'first.last+tag@sub.example.org'],
      ['a@b', 'a b@c.de', 'a@@b.de', '@b.de', 'a.@b.de', 'a@b..de'],
    ],
    ['integer', ['0', '-12', ' 7 '], ['1.5', 'x', '1e3', '--1']],
    ['number', ['0', '-1.5', '3,5', '1e3', '.5'], ['x', '1.2.3', 'Infinity', '0x1F']],
    [
      'url',
      ['https://example.org/a?b', 'http://localhost:80'],
      ['example.org', 'javascript:alert(1)', 'http://', 'https://a b'],
    ],
    ['phone', ['+49 30 123456', '(555) 010-9999'], ['12', 'call me', '1234567890123456']],
    ['letters', ['Ada', 'Zoë', "O'Neill", 'Anna Maria'], ['R2D2', 'a_b', '!']],
  ] as [string, string[], string[]][])('validates texts of the kind %s', (kind, right, wrong) => {
    const question = text('a', { validation: { kind } })
    for (const answer of right) expect([answer, errorsOf(question, answer)]).toEqual([answer, []])
    for (const answer of wrong) expect([answer, errorsOf(question, answer).length]).toEqual([answer, 1])
  })
  test('checks the range of values', () => {
    const question = text('a', { validation: { min: 2, max: 5 } })
    expect(['2', '5', '3.5'].flatMap((answer) => errorsOf(question, answer))).toEqual([])
    expect(['1', '5.1', 'four'].map((answer) => errorsOf(question, answer).length)).toEqual([1, 1, 1])
  })
  test('checks lengths in characters, not in code units', () => {
    const question = text('a', { validation: { minLength: 2, maxLength: 3 } })
    expect(['ab', '👍👍👍'].flatMap((answer) => errorsOf(question, answer))).toEqual([])
    expect(['a', 'abcd', '👍'].map((answer) => errorsOf(question, answer).length)).toEqual([1, 1, 1])
  })
  test("returns the author's message in the requested language", () => {
    const message = { en: 'Digits!', fr: 'Des chiffres !' }
    const q = compiled(survey([[text('a', { validation: { kind: 'integer', message } })]]))
    expect(validateAnswers(q, { a: 'x' })).toMatchObject([{ field: 'a', message: 'Digits!' }])
    expect(validateAnswers(q, { a: 'x' }, { language: 'fr-CA' })).toMatchObject([
      { field: 'a', message: 'Des chiffres !' },
    ])
  })
  test('accepts an optional question without an answer', () => {
    expect(errorsOf(text('a', { validation: { kind: 'email', minLength: 5 } }))).toEqual([])
  })
  test('validates long texts within 20 seconds', () => {
    const began = performance.now()
    for (const kind of ['email', 'integer', 'number', 'url', 'phone', 'letters']) {
      for (const part of ['a', '@', '.', '1', ' ', 'a.', "a'", '-'])
        errorsOf(text('a', { validation: { kind } }), part.repeat(50_000))
    }
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})

describe('validateAnswers: choices [spec 6.6]', () => {
  const limited = multi('a', {
    minSelected: 2,
    maxSelected: 2,
    ...choices('A', 'B', 'C', { label: 'None', exclusive: true }),
  })
  test.each([[[0, 1]], [[3]], [[]]])('accepts the choices %j', (answer) =>
    expect(errorsOf(limited, answer)).toEqual([]),
  )
  test.each([[[0]], [[0, 1, 2]], [[0, 3]], [[9]]])('rejects the choices %j', (answer) =>
    expect(errorsOf(limited, answer)).toHaveLength(1),
  )
  test('rejects a stored answer that is not a choice of this version', () => {
    expect(errorsOf(single('a'), 7)).toHaveLength(1)
    expect(errorsOf(single('a'), 'text')).toHaveLength(1)
    expect(errorsOf(ask('ranking', 'a', choices('A')), [1])).toHaveLength(1)
  })
})

describe('validateAnswers: pages', () => {
  const q = compiled({
    title: 'T',
    form: [
      { children: [single('a', { required: true })], skip: [{ when: { question: 'a', op: 'eq', value: 0 }, to: 3 }] },
      { children: [text('b', { required: true })] },
      { children: [text('c', { required: true }, { condition: { question: 'a', op: 'ne', value: 1 } })] },
    ],
  })
  const fields = (answers: Record<string, Answer>, page?: number) =>
    validateAnswers(q, answers, page ? { page } : {}).map(({ field }) => field)
  test('validates only one page if a page is given', () => {
    expect(fields({}, 1)).toEqual(['a'])
    expect(fields({}, 2)).toEqual(['b'])
  })
  test('validates the visible questions of all pages on the path if no page is given', () => {
    expect(fields({})).toEqual(['a', 'b', 'c'])
    expect(fields({ a: 0 })).toEqual(['c'])
    expect(fields({ a: 1 })).toEqual(['b'])
  })
})
