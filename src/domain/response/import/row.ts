import { randomKey } from '../../../lib/token.ts'
import { type FieldError, type ValueError, valueError } from '../../field-error.ts'
import { notAChoice } from '../../structure/answer-error.ts'
import { choiceIndex } from '../../structure/choice-index.ts'
import { anyChoiceIndex } from '../../structure/parse-answer.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers, Field } from '../../structure/questionnaire.ts'
import { dropHidden, validateAnswers } from '../../structure/validate-answers.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { type ImportedMeta, importedResponse } from '../submit/imported.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import type { Column } from './header.ts'
import { parseMeta } from './meta.ts'

/** A row of an imported table as it is stored, or its errors by column. */
export type Row = { incoming: NewResponse; answers: Answers } | { errors: FieldError[] }

/**
 * Parses one row. Without `_completed` it must be a complete response; with it, answers are validated one by one.
 * @param now time of the import, and of the creation if the row has none
 */
export function readRow(
  snapshot: SurveySnapshot,
  columns: readonly Column[],
  cells: readonly string[],
  now: Date,
): Row {
  const errors: FieldError[] = []
  const meta: Partial<ImportedMeta> = {}
  const raw: Record<string, unknown> = Object.create(null)
  const picked = new Map<Field, number[]>()
  for (const [at, column] of columns.entries()) {
    const cell = cells[at]!
    if (cell === '') continue
    if (column.kind === 'answer') raw[column.field.key] = cell
    else if (column.kind === 'meta') {
      const parsed = parseMeta(column.name, cell, snapshot)
      if ('code' in parsed) errors.push({ field: column.name, ...parsed })
      else Object.assign(meta, parsed)
    } else if (column.kind === 'choice') {
      const error = pick(column, cell, picked)
      if (error) errors.push({ field: column.name, ...error })
    }
  }
  for (const [field, indices] of picked) raw[field.key] = indices.filter((index) => index !== undefined)
  const read = parseAnswers(snapshot.questionnaire, raw, 'strict', anyChoiceIndex)
  errors.push(...read.errors)
  return errors.length ? { errors } : buildRow(snapshot, read.answers, meta, now)
}

/**
 * Adds a choice to the picked ones. The cell is the position in a ranking, and names the choice otherwise.
 * @returns an error message where the cell is invalid
 */
function pick(
  { field, index }: { field: Field; index: number },
  cell: string,
  picked: Map<Field, number[]>,
): ValueError | undefined {
  const indices = picked.get(field) ?? []
  picked.set(field, indices)
  if (field.type !== 'ranking') {
    if (choiceIndex(field, cell) !== index) return notAChoice(cell, ` This column is for the choice ${index}.`)
    indices.push(index)
    return undefined
  }
  const place = /^\d{1,6}$/.test(cell) ? Number(cell) : 0
  if (place < 1 || place > field.choices.length)
    return valueError('invalid_value', {}, `must be a rank from 1 to ${field.choices.length}`)
  if (indices[place] !== undefined) return valueError('duplicate', {}, `has the rank ${place} of another choice`)
  indices[place] = index
  return undefined
}

function buildRow(snapshot: SurveySnapshot, read: Answers, meta: Partial<ImportedMeta>, now: Date): Row {
  const { questionnaire } = snapshot
  const completed = meta.completed ?? 1
  const answers = completed === 0 ? read : dropHidden(questionnaire, read)
  const errors = meta.completed === undefined ? validateAnswers(questionnaire, answers) : []
  if (errors.length) return { errors }
  const complete: ImportedMeta = { key: randomKey(), createdAt: now, updatedAt: now, ...meta, completed }
  return { answers, incoming: importedResponse(snapshot, answers, complete) }
}
