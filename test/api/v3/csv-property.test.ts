import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Answer, Questionnaire } from '../../../src/domain/structure/questionnaire.ts'
import { labelOf, textIn } from '../../../src/domain/structure/text.ts'
import type { SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import { META, storeResponses, surveyWithQuestions, table } from '../../support/exports.ts'
import fc from '../../support/fast-check.ts'
import type { ResponseDraft } from '../../support/respondents.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: SurveySnapshot

const labels = ['plain', 'comma, quote "', 'two\nlines', '=SUM(1)', 'Ünïcödé 🙂', '']
const choices = labels.map((label, index) => ({ label, score: index * 1.5 - 3, ...(index === 1 && { other: true }) }))
const questions = [
  { idname: 'text-response', id: 'text', title: 'A "text", please' },
  { idname: 'text-response', id: 'quoted "key", with comma', title: '' },
  { idname: 'single-choice', id: 's', title: 'One', children: [{ choices }] },
  { idname: 'multiple-choice', id: 'm', title: 'Some', children: [{ choices }] },
  { idname: 'ranking', id: 'r', title: 'Order', children: [{ choices }] },
  { idname: 'boolean-choice', id: 'b', title: 'Yes?' },
  { idname: 'net-promoter', id: 'n', title: 'How?' },
  { idname: 'hidden-field', id: 'h', title: 'Hidden' },
]

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await surveyWithQuestions(world, ann, 'Anything', questions)
})

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(',', '"', '\n', '\r', '\\', '\t', '=', '-', ' ', "'", '\ufeff', '\b'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
const index = fc.nat({ max: labels.length - 1 })
const answers = fc.record(
  {
    text,
    'quoted "key", with comma': text,
    s: index,
    's\\other': text,
    m: fc.uniqueArray(index),
    r: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
    b: fc.boolean(),
    n: fc.nat({ max: 10 }),
    h: text,
    'removed question': fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '?'))),
  },
  { requiredKeys: [] },
)
const draft = fc.record(
  { answers, username: text, referrer: text, getVariables: text, language: text },
  { requiredKeys: [] },
)
const flags = fc.record({
  include_labels: fc.boolean(),
  score_based: fc.boolean(),
  include_id: fc.boolean(),
  show_titles: fc.boolean(),
  escape_newline: fc.boolean(),
  formula_guard: fc.boolean(),
  tab_separated: fc.boolean(),
  inverted: fc.boolean(),
  bom: fc.boolean(),
})
type Flags = typeof flags extends fc.Arbitrary<infer F> ? F : never

/** An independent implementation of the export. @returns the columns, and their cells for a response */
function columnsOf(q: Questionnaire, on: Flags) {
  return q.fields.flatMap((field) => {
    const title = textIn(field.question.title, 'en', q)
    const cellText = (value: Answer): string => {
      if (typeof value === 'string') return value
      const choice = field.choices[typeof value === 'boolean' ? (value ? 0 : 1) : (value as number)]!
      if (on.score_based) return String(choice.score)
      return on.include_labels ? labelOf(field, value, 'en', q) : String(value)
    }
    const titleWith = (part: string) => (title && part ? `${title} - ${part}` : title || part)
    if (field.type !== 'multi' && field.type !== 'ranking') {
      const heading = field.type === 'other' ? titleWith(labels[1]!) : title
      return [{ key: field.key, title: heading, question: field.question.id, cell: (value: Answer) => cellText(value) }]
    }
    return field.choices.map((choice) => ({
      key: `${field.key}\\${choice.index}`,
      title: titleWith(labels[choice.index]!),
      question: field.question.id,
      cell: (value: Answer) => {
        const position = (value as number[]).indexOf(choice.index)
        if (position === -1) return undefined
        return field.type === 'ranking' ? String(position + 1) : cellText(choice.index)
      },
    }))
  })
}

function expected(drafts: readonly ResponseDraft[], ids: readonly number[], on: Flags): string[][] {
  const columns = columnsOf(survey.questionnaire, on)
  const lines = drafts.map(({ answers = {}, ...meta }, i) => {
    const cells = columns.map(({ key, cell }) => {
      const value = answers[key.replace(/\\\d+$/, '')] as Answer | undefined
      return value === undefined ? undefined : cell(value)
    })
    return { id: String(ids[i]), meta, cells }
  })
  if (on.inverted)
    return [
      ['response id', 'key', 'question', 'title', 'value'],
      ...lines.flatMap(({ id, cells }) =>
        columns.flatMap(({ key, question, title }, i) =>
          cells[i] === undefined ? [] : [[id, key, question, title, cells[i]]],
        ),
      ),
    ]
  const head = ({ key, title }: { key: string; title: string }) =>
    on.include_id ? (on.show_titles ? `{${key}} ${title}` : `{${key}}`) : on.show_titles ? title : key
  return [
    [...META.map((name) => (on.include_id ? `{${name}}` : name)), ...columns.map(head)],
    ...lines.map(({ id, meta, cells }) => [
      ...[
        'Complete',
        id,
        '2026-01-15T12:00:00',
        '2026-01-15T12:00:00',
        meta.language ?? '',
        '',
        '',
        meta.username ?? '',
      ],
      ...[meta.getVariables ?? '', meta.referrer ?? '', '1', '', '', '', '', '', String(survey.defaultCollector.id)],
      ...cells.map((cell) => cell ?? ''),
    ]),
  ]
}

const escaped = (cell: string, on: Flags): string => {
  const line = on.escape_newline ? cell.replaceAll('\r\n', '\\n').replaceAll(/[\r\n]/g, '\\n') : cell
  const isFormula = on.formula_guard && /^[\t\r\n]|^\s*[=+@＝＋－＠-]/.test(line) && !/^[+-]?\d+([.,]\d+)?$/.test(line)
  return isFormula ? `'${line}` : line
}

describe('exportCsv [spec 7.10]', () => {
  test('writes cells that parse to the stored values with any flags', async () => {
    const url = `${world.base}/api/v3/surveys/${survey.id}/csv/`
    const property = async (drafts: ResponseDraft[], on: Flags) => {
      const ids = await storeResponses(world, survey, drafts)
      const query = Object.entries({ ...on, ids: ids.join() }).map(([name, value]) => `${name}=${value}`)
      const response = await fetch(`${url}?${query.join('&')}`, { headers: { authorization: ann.authorization! } })
      expect(response.status).toBe(200)
      const bytes = await response.arrayBuffer()
      const decoded = new TextDecoder(on.tab_separated ? 'utf-16le' : 'utf-8', { ignoreBOM: true, fatal: true }).decode(
        bytes,
      )
      expect(decoded.startsWith('\ufeff')).toBe(on.bom || on.tab_separated)
      const records = table(decoded.replace(/^\ufeff/, ''), on.tab_separated ? '\t' : ',')
      expect(records).toEqual(expected(drafts, ids, on).map((record) => record.map((cell) => escaped(cell, on))))
    }
    await fc.assert(fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 4 }), flags, property), {
      numRuns: 80,
    })
  })
})
