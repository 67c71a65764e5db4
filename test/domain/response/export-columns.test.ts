import { describe, expect, test } from '@jest/globals'
import {
  ABSENT,
  AnswerScan,
  answerCell,
  cellFormat,
  LIST,
  NUMBER,
  STRING,
  TRUE,
} from '../../../src/domain/response/export/cell.ts'
import {
  DEFAULT_EXPORT_OPTIONS,
  type ExportOptions,
  headerOf,
  planColumns,
  valueText,
} from '../../../src/domain/response/export/columns.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'

const choices = [{ label: { en: 'Red', fr: 'Rouge' }, score: 7 }, { label: 'Blue' }]
const q = compile(
  normaliseStructure({
    title: 'Survey',
    form: [
      { children: [{ idname: 'single-choice', id: 's', title: 'One', identifier: 'one', children: [{ choices }] }] },
      {
        children: [
          { idname: 'text-response-grid', id: 'g', title: '', children: [{ label: 'Row' }, {}] },
          { idname: 'odd', id: 'o', title: 'Odd' },
        ],
      },
      { children: [{ idname: 'multiple-choice', id: 'm', title: 'Some', children: [{ choices }] }] },
    ],
  }),
)
const options = (on: Partial<ExportOptions>): ExportOptions => ({ ...DEFAULT_EXPORT_OPTIONS, ...on })

describe('planColumns', () => {
  test('returns columns in the order of the structure, and no column for elements that cannot be answered', () => {
    expect(planColumns(q, DEFAULT_EXPORT_OPTIONS).map(({ key, title }) => [key, title])).toEqual([
      ['s', 'One'],
      ['g_0', 'Row'],
      ['g_1', ''],
      ['m\\0', 'Some - Red'],
      ['m\\1', 'Some - Blue'],
    ])
  })

  test('returns the columns of included questions in the order of the survey', () => {
    expect(planColumns(q, options({ include: ['m', 'one'] })).map(({ key }) => key)).toEqual(['s', 'm\\0', 'm\\1'])
  })

  test('returns columns whose headers contain the key, or the key and the title in the language of the export', () => {
    const column = planColumns(q, options({ language: 'fr' })).at(-2)!
    expect(headerOf(column, DEFAULT_EXPORT_OPTIONS)).toBe('m\\0')
    expect(headerOf(column, options({ titles: true, keysInHeader: true }))).toBe('{m\\0} Some - Rouge')
  })
})

test('valueText returns an answer that matches no choice as it is stored, and an empty score for it', () => {
  const field = q.byKey.get('s')!
  expect(valueText(field, 0, options({ labels: true, language: 'fr' }), q)).toBe('Rouge')
  expect(valueText(field, 0, options({ scores: true, labels: true }), q)).toBe('7')
  expect(valueText(field, 9, options({ labels: true }), q)).toBe('9')
  expect(valueText(field, 9, options({ scores: true }), q)).toBe('')
})

test('answerCell removes tags, escapes line breaks, guards formulas and adds quotes, in this order', () => {
  const format = cellFormat(options({ stripHtml: true, escapeNewline: true, formulaGuard: true }))
  expect(answerCell('<b>=1,</b>\n"2"', format)).toBe(`"'=1,\\n""2"""`)
})

describe('AnswerScan', () => {
  const scan = new AnswerScan(['long key', 'b', 'a"\\', 'list', 'yes', 'none'], new Uint8Array(256))
  const read = (json: string) => {
    const bytes = Buffer.from(`..${json}`)
    scan.read(bytes, 2)
    return [...scan.kind].map((kind, slot) => [kind, bytes.toString('utf8', scan.start[slot], scan.end[slot])] as const)
  }

  test('finds the values of the given keys, in any order and of every type, and skips all other keys', () => {
    const found = read(
      `{"b": "x\\"}, {", "zzz": {"b": [1, "]"]}, "list": [2, 0], "long key": -1.5, "yes": true, "a\\"\\\\": "", "other": null}`,
    )
    expect(found.slice(0, 5)).toEqual([
      [NUMBER, '-1.5'],
      [STRING, 'x\\"}, {'],
      [STRING, ''],
      [LIST, '[2, 0]'],
      [TRUE, 'true'],
    ])
    expect(found[5]![0]).toBe(ABSENT)
  })

  test.each(['{}', '[]', 'null', '{"b": null}'])('finds no answers in %s', (json) => {
    read('{"b": 1}')
    expect(read(json).map(([kind]) => kind)).toEqual(Array(6).fill(ABSENT))
  })
})
