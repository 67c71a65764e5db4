import { exceededJsonLimit } from '../../lib/json.ts'
import { codedChoices } from '../structure/choices.ts'
import { compile } from '../structure/compile.ts'
import { numberStructure } from '../structure/numbering.ts'
import { anyChoiceIndex } from '../structure/parse-answer.ts'
import { parseAnswers } from '../structure/parse-answers.ts'
import type { Field } from '../structure/questionnaire.ts'
import { repairStructure } from '../structure/repair.ts'
import { normaliseStructure, type Structure } from '../structure/structure.ts'
import { arrayOf, isRecord, type Json } from '../structure/walk.ts'
import { shownPath } from './json-values.ts'
import type { Note, Notes } from './notes.ts'
import {
  type Binding,
  type FormatName,
  LIMITS,
  MovingError,
  type Reading,
  type Source,
  type SourceResponse,
} from './source.ts'
import { OldCounter, type OldTotals } from './totals.ts'

/** A response in the notation of the API. */
export interface MovedResponse {
  row: number
  completed: 0 | 1 | 2
  /** The time in ISO 8601, with a time zone. */
  createdAt?: string
  completionTime?: number
  language?: string
  answers: Record<string, unknown>
}

/** A survey of another tool, as a structure and responses of this service. */
export interface MovedSurvey {
  format: FormatName
  structure: Structure
  responses: MovedResponse[]
  totals: OldTotals[]
  notes: Note[]
}

/** Settings that a question can do without. */
const OPTIONAL = new Set([
  'validation',
  'min',
  'max',
  'minSelected',
  'maxSelected',
  'earliest',
  'latest',
  'default',
  'lines',
  'decimals',
  'step',
  'steps',
  'unit',
])

/**
 * Converts a survey of another tool. What cannot be converted is left out, and is in the notes.
 * @throws {MovingError}
 */
export function convertSource(source: Source): MovedSurvey {
  const { notes, format } = source
  const structure = structureOf(source)
  const q = compile(structure)
  const counters = source.bindings.map((binding) => new OldCounter(binding))
  const responses: MovedResponse[] = []
  for (const given of source.responses) {
    if (responses.length >= LIMITS.responses)
      throw new MovingError('too_many_responses', 'file', { max: LIMITS.responses })
    const read = new Set<string>()
    const response: SourceResponse = {
      ...given,
      values: (name) => {
        read.add(name)
        return given.values(name)
      },
    }
    const raw: Record<string, unknown> = Object.create(null)
    const columns = new Map<string, Reading>()
    for (const counter of counters) {
      const { binding } = counter
      const readings = binding.read(response)
      if (readings.length === 0) continue
      counter.add(readings)
      columns.set(binding.key, readings[0]!)
      const field = q.byKey.get(binding.key)
      if (field) raw[binding.key] = answerOf(binding, readings, field, response.row, notes)
      else notes.add('answer_without_question', { item: binding.key, column: binding.column, row: response.row })
    }
    for (const name of given.names?.() ?? [])
      if (!read.has(name)) notes.add('answer_without_question', { column: shownPath(name), row: given.row })
    const { answers, errors } = parseAnswers(q, raw, 'strict', { lookup: anyChoiceIndex, values: 'indices' })
    for (const { field } of errors)
      notes.add('answer_not_accepted', { item: field, row: response.row, ...columns.get(field) })
    responses.push({
      row: response.row,
      completed: response.completed,
      ...timeOf(response.createdAt, response.row, notes),
      ...(response.completionTime !== undefined && { completionTime: response.completionTime }),
      ...(response.language && { language: response.language }),
      answers: { ...answers },
    })
  }
  return { format, structure, responses, totals: counters.map((counter) => counter.totals()), notes: notes.list }
}

/** Returns the structure in full form, without what the API refuses. */
function structureOf({ structure, notes }: Source): Structure {
  if (!Array.isArray(structure.form) || structure.form.length === 0) structure.form = []
  const name = (question: Json) => String(question.identifier ?? question.id ?? '')
  const error = repairStructure(structure, OPTIONAL, (part) => {
    if (part.kind === 'setting')
      notes.add(part.member === 'validation' ? 'validation_not_supported' : 'setting_not_supported', {
        item: name(part.question),
        value: `${part.member}: ${part.error.message}`,
      })
    else if (part.kind === 'condition') {
      notes.add('condition_not_supported', { item: name(part.question), value: part.error.message })
      if (part.wasRequired) notes.add('required_removed', { item: name(part.question) })
    } else if (part.kind === 'question')
      notes.add('question_refused', { item: name(part.question), value: part.error.message })
    else if (part.kind === 'quota') notes.add('quota_not_supported', { value: part.error.message })
    else if (part.kind === 'skip') notes.add('skip_not_supported', { value: part.error.message })
    else notes.add('condition_not_supported', { value: part.error.message })
  })
  if (error) throw new MovingError('damaged_survey_file', 'file', { place: `${error.field}: ${error.message}` })
  const normal = numberStructure(normaliseStructure(structure)).structure
  const json = JSON.stringify(normal)
  if (json.length > MAX_JSON_CHARACTERS || exceededJsonLimit(json, '[]'.padEnd(1000, ',')))
    throw new MovingError('survey_file_too_large', 'file', { max: MAX_JSON_CHARACTERS / 1_000_000 })
  return normal
}

/** A survey of this size can be read and replaced through the API, whose requests have at most 10 MB. */
const MAX_JSON_CHARACTERS = 9_000_000

/** Returns the answer in the notation of the API. Values that do not fit are left out, and are in the notes. */
function answerOf(
  { kind, choices, convert }: Binding,
  readings: readonly Reading[],
  field: Field,
  row: number,
  notes: Notes,
): unknown {
  const item = field.question.identifier ?? field.question.id
  if (choices) {
    const indices: number[] = []
    for (const { column, value } of readings) {
      const choice = choices.get(value)
      if (!choice) notes.add('answer_not_a_choice', { item, column, row, value })
      else if (!indices.includes(choice.index)) indices.push(choice.index)
    }
    if (indices.length === 0) return undefined
    if (kind !== 'choice') return kind === 'choices' ? indices.sort((a, b) => a - b) : indices
    for (const { column, value } of readings.slice(1)) notes.add('answer_not_accepted', { item, column, row, value })
    return field.type === 'boolean' ? indices[0] === 0 : indices[0]
  }
  const text = readings.map(({ value }) => value).join(', ')
  const converted = convert ? convert(text) : text
  if (converted === undefined) notes.add('answer_not_accepted', { item, row, column: readings[0]!.column, value: text })
  return converted
}

/** Returns the time of a response in ISO 8601. A time without a time zone is read as UTC. */
function timeOf(text: string | undefined, row: number, notes: Notes): { createdAt?: string } {
  if (text === undefined || text.trim() === '') return {}
  const hasZone = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\s*$/i.test(text)
  const iso = text.trim().replace(/^(\d{4}-\d{2}-\d{2})[ T](\d{1,2}:\d{2})/, '$1T$2')
  const time = Date.parse(hasZone ? iso : `${iso}${/T\d/.test(iso) ? 'Z' : ' UTC'}`)
  // The year of a time that the database can store, and that a survey can have.
  if (Number.isNaN(time) || time < 0 || time > Date.parse('2200-01-01')) {
    notes.add('time_not_read', { row, value: text })
    return {}
  }
  if (!hasZone) notes.add('time_zone_assumed', { row })
  return { createdAt: new Date(time).toISOString() }
}

/** Returns the labels of the choices of a field by position. */
export const labelsOf = (field: Field, language: string): ReadonlyMap<number, string> =>
  new Map(
    (field.choices.length ? field.choices : codedChoices(field)).map(({ index, label }) => [
      index,
      label[language] ?? Object.values(label)[0] ?? String(index),
    ]),
  )

/** Returns the title of a field: that of its question, with the label of the row. */
export function titleOfField(field: Field, language: string): string {
  const text = (value: Readonly<Record<string, string>> | undefined) =>
    value?.[language] ?? Object.values(value ?? {})[0] ?? ''
  const parts = [text(field.question.title), text(field.row?.label)].filter((part) => part !== '')
  return parts.length > 0 ? parts.join(' – ') : field.key
}

/** Returns the code of the default language. */
export const defaultLanguageOf = ({ languages }: Pick<Structure, 'languages'>): string =>
  String(
    arrayOf(languages)
      .filter(isRecord)
      .find(({ isDefault }) => isDefault === true)?.code ?? 'en',
  )
