import { randomKey } from '../../../lib/token.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, type ValueError, valueError } from '../../field-error.ts'
import { notAChoice } from '../../structure/answer-error.ts'
import { choiceIndex } from '../../structure/choice-index.ts'
import { anyChoiceIndex } from '../../structure/parse-answer.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers, Field } from '../../structure/questionnaire.ts'
import { validateAnswers, withCalculations } from '../../structure/validate-answers.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { type ImportedMeta, importedResponse } from '../submit/imported.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import type { Column } from './header.ts'
import { parseMeta } from './meta.ts'

/** A parsed row of an imported table, or its errors by column. */
export type Row = { response: NewResponse; answers: Answers } | { errors: FieldError[] }

/**
 * Parses a row. Without `_completed`, the row must be a valid complete response. With `_completed`, only the format of
 * the answers is checked, and missing answers are not errors.
 * @param now time of the import, and of the response if the row has no `_created_at`
 */
export function parseRow(
  snapshot: SurveySnapshot,
  columns: readonly Column[],
  cells: readonly string[],
  now: Date,
): Row {
  const errors: FieldError[] = []
  const meta: Partial<ImportedMeta> = {}
  const raw: Record<string, unknown> = Object.create(null)
  const choices = new Map<Field, number[]>()
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!
    if (cell === '') continue
    if (column.kind === 'answer') raw[column.field.key] = cell
    else if (column.kind === 'meta') {
      const parsed = parseMeta(column.name, cell, snapshot)
      if ('code' in parsed) errors.push({ field: column.name, ...parsed })
      else Object.assign(meta, parsed)
    } else if (column.kind === 'choice') {
      const error = addChoice(column, cell, choices)
      if (error) errors.push({ field: column.name, ...error })
    }
  }
  for (const [field, indices] of choices) raw[field.key] = indices.filter((index) => index !== undefined)
  const parsed = parseAnswers(snapshot.questionnaire, raw, 'strict', { lookup: anyChoiceIndex })
  errors.push(...parsed.errors)
  return errors.length ? { errors } : buildRow(snapshot, parsed.answers, meta, now)
}

/**
 * Adds the choice of a column to an answer. In a ranking, the cell contains the rank of the choice; otherwise, it
 * contains the choice.
 * @returns the error of an invalid cell
 */
function addChoice(
  { field, index }: { field: Field; index: number },
  cell: string,
  choices: Map<Field, number[]>,
): ValueError | undefined {
  const indices = choices.get(field) ?? []
  choices.set(field, indices)
  if (field.type !== 'ranking') {
    if (choiceIndex(field, cell) !== index) return notAChoice(cell, ` This column is for the choice ${index}.`)
    indices.push(index)
    return undefined
  }
  const rank = /^\d{1,6}$/.test(cell) ? Number(cell) : 0
  if (rank < 1 || rank > field.choices.length)
    return valueError('invalid_value', {}, detail('rank_range', { max: field.choices.length }))
  if (indices[rank] !== undefined) return valueError('duplicate', {}, detail('duplicate_rank', { rank }))
  indices[rank] = index
  return undefined
}

function buildRow(snapshot: SurveySnapshot, parsedAnswers: Answers, meta: Partial<ImportedMeta>, now: Date): Row {
  const { questionnaire } = snapshot
  const completed = meta.completed ?? 1
  const answers = withCalculations(questionnaire, parsedAnswers)
  const errors = meta.completed === undefined ? validateAnswers(questionnaire, answers) : []
  if (errors.length) return { errors }
  const fullMeta: ImportedMeta = { key: randomKey(), createdAt: now, updatedAt: now, ...meta, completed }
  return { answers, response: importedResponse(snapshot, answers, fullMeta) }
}
