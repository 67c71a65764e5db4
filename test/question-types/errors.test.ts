import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import type { FieldError } from '../../src/domain/field-error.ts'
import { checkStructure } from '../../src/domain/structure/check.ts'
import { compile } from '../../src/domain/structure/compile.ts'
import { parseAnswers } from '../../src/domain/structure/parse-answers.ts'
import { structureSchema } from '../../src/domain/structure/schema.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import { submissionErrors } from '../../src/domain/structure/validate-answers.ts'
import { EVERY_TYPE, TYPES } from '../support/every-type.ts'

/** Values that hardly any setting accepts, and values that depend on other settings. */
const SETTINGS: readonly unknown[] = [-1, 1.5, 1e16, 'x', true, {}, [], [{ label: 'A' }, 7], ['x', 'x']]
const DEPENDENT: readonly Record<string, unknown>[] = [
  { min: 5, max: 3 },
  { min: 0, max: 1, step: 2 },
  { min: 0, max: 1e6, step: 1e-3 },
  { earliest: '2026-02-01', latest: '2026-01-01' },
  { minSelected: 3, maxSelected: 2 },
  { minSelected: 9 },
  { maxSelected: 0 },
  { choices: [{ label: 'A' }] },
  { choices: [{ label: 'A', image: { url: 'ftp://x' } }] },
  { choiceFilter: [{ question: 'colour', attribute: 'x' }] },
  { children: [{ type: 'star' }] },
  { children: [] },
]
const ANSWERS: readonly unknown[] = [
  -1,
  1.5,
  99,
  1e16,
  'x',
  '1,5',
  true,
  {},
  [0, 0],
  [0, 1, 2],
  '2026-13-01',
  'f'.repeat(32),
]

const samples: Record<string, unknown>[] = EVERY_TYPE.form[0]!.children
const sampleOf = (type: string) => ({ id: 'one', ...samples.find(({ idname }) => idname === type)! })
const nameOf = (type: string) => type.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Members of questions of every type. */
const COMMON = ['idname', 'type', 'id', 'identifier', 'condition', 'title', 'description', 'width']

const settingsOf = (type: string): string[] => {
  const name = nameOf(type)
  const { $defs } = structureSchema
  const members = Object.keys(($defs![`${name}Option`] ?? $defs![`${name}Question`])!.properties!)
  return members.filter((member) => !COMMON.includes(member))
}

const surveyOf = (question: object) => ({
  title: 'T',
  form: [{ children: [{ idname: 'single-choice', id: 'colour', choices: [{ label: 'A', code: 'a' }] }, question] }],
})

const lineOf = ({ field, code, message }: FieldError): string => `${field} ${code}: ${message}`

/** Returns the errors of a question for each of these members. */
const structureErrors = (type: string): Record<string, string> =>
  tableOf(
    [...settingsOf(type).flatMap((name) => SETTINGS.map((value) => ({ [name]: value }))), ...DEPENDENT],
    (members) => checkStructure(surveyOf({ ...sampleOf(type), ...members })).map(lineOf),
  )

/** Returns the errors of a complete response for each of these answers to the required question. */
function answerErrors(type: string): Record<string, string> {
  const settings = { required: true, min: 2, max: 6, minSelected: 2, maxSelected: 2 }
  const q = compile(normaliseStructure(surveyOf({ ...sampleOf(type), ...settings })))
  const [field] = q.questions[1]!.fields
  if (!field) return {}
  return tableOf([undefined, ...ANSWERS], (answer) => {
    const parsed = parseAnswers(q, answer === undefined ? {} : { [field.key]: answer }, 'strict')
    return submissionErrors(q, parsed, parsed.answers, true, new Date(0)).map(lineOf)
  })
}

/** Returns the inputs with errors, by their errors. */
function tableOf<Input>(inputs: readonly Input[], errorsOf: (input: Input) => string[]): Record<string, string> {
  const table: Record<string, string> = {}
  for (const input of inputs) {
    const errors = errorsOf(input).join('; ')
    if (errors !== '') table[errors] = [table[errors] ?? [], JSON.stringify(input) ?? 'none'].flat().join(' ')
  }
  return table
}

const file = new URL('errors.json', import.meta.url)

/**
 * The table pins the pointer, the code and the text of each error. To add a question type, write what this test
 * computes into the file, and read every line of it.
 */
describe('the errors of question types', () => {
  const expected = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  it('has every question type', () => expect(Object.keys(expected).sort()).toEqual([...TYPES].sort()))
  it.each([...TYPES])('reports the same errors of a %s question and of its answers', (type) => {
    expect({ structure: structureErrors(type), answers: answerErrors(type) }).toEqual(expected[type])
  })
})
