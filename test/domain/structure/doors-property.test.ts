import { describe, expect, test } from '@jest/globals'
import type { ExportOptions } from '../../../src/domain/response/export/columns.ts'
import { valueText } from '../../../src/domain/response/export/columns.ts'
import { parseHeader } from '../../../src/domain/response/import/header.ts'
import { parseRow } from '../../../src/domain/response/import/import.ts'
import { parseAnswers } from '../../../src/domain/structure/parse-answers.ts'
import type { Answer, Answers, Field } from '../../../src/domain/structure/questionnaire.ts'
import { formValues } from '../../../src/domain/structure/write-answer.ts'
import type { SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import { languages } from '../../../src/domain/text/catalog.ts'
import { prefilledAnswers } from '../../../src/web/respondent/input.ts'
import fc from '../../support/fast-check.ts'
import { ask, choices, compiled, grid, multi, single, survey, text } from './sample.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 300)
const scale = choices('1', '2', '3', 'No', 'Yes')

const q = compiled(
  survey([
    [
      text('text'),
      text('number_text', { validation: { kind: 'number' } }),
      text('integer_text', { validation: { kind: 'integer' } }),
      text('range_text', { validation: { min: -1e9 } }),
      text('email', { validation: { kind: 'email' } }),
      text('phone', { validation: { kind: 'phone' } }),
      single('colour', choices('Red', 'Green', { label: 'Other', other: true })),
      single('scale', scale),
      multi('drinks'),
      multi('numbers', scale),
      ask('dropdown-choice', 'size', choices('S', 'M', 'L')),
      ask('boolean-choice', 'again'),
      ask('datetime', 'when'),
      ask('datetime', 'day', { format: 'date' }),
      ask('datetime', 'hour', { format: 'time' }),
      ask('ranking', 'order', choices('One', 'Two', 'Three')),
      grid('rate'),
      { ...grid('many'), idname: 'multiple-choice-grid', children: [{ label: 'Food' }] },
      { idname: 'text-response-grid', id: 'notes', children: [{ label: 'Morning' }, { label: 'Evening' }] },
      ask('net-promoter', 'nps'),
      ask('rating', 'stars'),
      ask('number', 'whole', { decimals: 0 }),
      ask('number', 'decimal', { decimals: 6 }),
      ask('slider', 'slider', { min: -10, max: 10, step: 0.125 }),
    ],
  ]),
)

const decimal = fc
  .integer({ min: -1e9, max: 1e9 })
  .chain((n) => fc.constantFrom(1, 10, 1_000, 1_000_000).map((d) => n / d))
const moment = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
const plain = fc.stringMatching(/^[a-z0-9,.;"' \n\u00e4\u5b57-]{1,20}$/).filter((value) => value.trim() !== '')

function answerTo(field: Field): fc.Arbitrary<Answer> {
  const indices = field.choices.map(({ index }) => index)
  switch (field.type) {
    case 'single':
    case 'number':
      return fc.constantFrom(...indices)
    case 'multi':
      return fc.subarray(indices, { minLength: 1 })
    case 'ranking':
      return fc.shuffledSubarray(indices, { minLength: indices.length })
    case 'boolean':
      return fc.boolean()
    case 'decimal':
      if (field.question.kind === 'slider') return fc.integer({ min: -80, max: 80 }).map((n) => n / 8)
      return field.question.decimals === 0 ? fc.integer({ min: -1e9, max: 1e9 }) : decimal
    case 'datetime': {
      const { format } = field.question
      return moment.map((iso) =>
        format === 'date' ? iso.slice(0, 10) : format === 'time' ? iso.slice(11, 16) : iso.slice(0, 16),
      )
    }
    default: {
      const kind = field.question.validation?.kind
      if (kind === 'integer') return fc.integer().map(String)
      if (field.question.validation?.min !== undefined || kind === 'number') return decimal.map(decimalText)
      if (kind === 'email') return fc.constantFrom('ann@example.org', 'ö@example.org')
      if (kind === 'phone') return fc.constantFrom('+49 30 123456', '030 – 1234', '(030) 1234/5')
      return plain
    }
  }
}

const decimalText = (value: number) => (String(value).includes('e') ? '0.5' : String(value))
const answered = q.fields.filter(({ type }) => type !== 'other')
const someAnswers = fc.record(Object.fromEntries(answered.map((field) => [field.key, answerTo(field)])), {
  requiredKeys: [],
}) as fc.Arbitrary<Answers>
const language = fc.constantFrom(...Object.keys(languages))
const snapshot = {
  questionnaire: q,
  collectors: new Map(),
  defaultCollector: { id: 1, settings: {} },
} as unknown as SurveySnapshot

/** Reads a table with one row, as an import does. */
function imported(cells: Record<string, string>, values: 'auto' | 'labels' | 'indices'): Answers {
  const header = parseHeader({ questionnaire: q, questionNumbers: {} }, ['_completed', ...Object.keys(cells)])
  const row = parseRow(snapshot, header.columns, ['0', ...Object.values(cells)], { now: new Date(0), values })
  if ('errors' in row) throw new Error(JSON.stringify(row.errors))
  return row.answers
}

/** Returns the cells of an export. */
function exported(answers: Answers, labels: boolean): Record<string, string> {
  const options = { labels, scores: false } as ExportOptions
  const cells: Record<string, string> = {}
  for (const [key, value] of Object.entries(answers)) {
    const field = q.byKey.get(key)!
    if (typeof value === 'string') cells[key] = value
    else if (typeof value !== 'object') cells[key] = valueText(field, value, options, q)
    else if (field.type === 'ranking')
      for (const [rank, index] of value.entries()) cells[`${key}\\${index}`] = String(rank + 1)
    else for (const index of value) cells[`${key}\\${index}`] = valueText(field, index, options, q)
  }
  return cells
}

const plainObject = (answers: Answers) => ({ ...answers })

describe('an answer of every type', () => {
  test('is the same after it was written for a page, a program, a link or a table, and read again', () => {
    fc.assert(
      fc.property(someAnswers, language, (answers, code) => {
        const strings = Object.fromEntries(
          Object.entries(answers).map(([key, value]) => [
            key,
            typeof value === 'object' ? value.map(String) : String(value),
          ]),
        )
        const page = parseAnswers(q, formValues(q, answers, code), 'strict', { language: code })
        expect(page.errors).toEqual([])
        expect(plainObject(page.answers)).toEqual(answers)
        expect(plainObject(parseAnswers(q, answers, 'strict').answers)).toEqual(answers)
        expect(plainObject(parseAnswers(q, strings, 'strict').answers)).toEqual(answers)
        const link = new URLSearchParams(
          Object.entries(strings).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, one])),
        )
        expect(plainObject(prefilledAnswers(q, link, false))).toEqual(answers)
        expect(plainObject(imported(exported(answers, false), 'indices'))).toEqual(answers)
        expect(plainObject(imported(exported(answers, true), 'labels'))).toEqual(answers)
      }),
      { numRuns: RUNS },
    )
  })

  const written = fc.oneof(
    decimal.chain((n) => language.map((code) => new Intl.NumberFormat(code, { maximumFractionDigits: 6 }).format(n))),
    fc.stringMatching(/^[+-]?[0-9.,' ]{1,10}$/),
    fc.stringMatching(/^[\u0660-\u0669.,\u066b\u066c]{1,8}$/),
    fc.stringMatching(/^[\u200b0-9,a@.-]{1,8}$/),
    plain,
  )

  test('means the same at every door; on a page, the language can only choose between the readings', () => {
    fc.assert(
      fc.property(fc.constantFrom(...answered), written, language, (field, value, code) => {
        const { key } = field
        const one = parseAnswers(q, { [key]: value }, 'strict')
        const again = parseAnswers(q, { [key]: [value] }, 'strict')
        expect([again.answers[key], again.errors]).toEqual([one.answers[key], one.errors])
        if (one.errors.length === 0 && value.trim() === value && one.answers[key] !== undefined) {
          // Reading is idempotent, so that a client can send back what it fetched.
          expect(parseAnswers(q, plainObject(one.answers), 'strict').answers[key]).toEqual(one.answers[key])
          if (field.type !== 'multi' && field.type !== 'ranking')
            expect(imported({ [key]: value }, 'indices')[key]).toEqual(one.answers[key])
        }
        const page = parseAnswers(q, { [key]: value }, 'strict', { language: code })
        const [error] = one.errors
        const isAmbiguous = page.errors[0]?.code === 'ambiguous_number'
        if (error?.code === 'ambiguous_number' && !isAmbiguous) {
          const { decimal: first, grouped } = error.params as Record<string, number>
          expect([first, grouped]).toContain(Number(page.answers[key]))
        } else if (
          !isAmbiguous &&
          error === undefined &&
          JSON.stringify(page.answers[key]) !== JSON.stringify(one.answers[key])
        ) {
          // `1.500` is 1.5 for programs, and 1500 on a page whose language groups with points.
          expect(value).toMatch(/[.]\p{Nd}{3}[^.,\p{Nd}]*$/u)
          expect(Number(page.answers[key])).toBeCloseTo(Number(one.answers[key]) * 1000)
        }
      }),
      { numRuns: RUNS },
    )
  })
})
