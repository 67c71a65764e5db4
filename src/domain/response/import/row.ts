import { randomKey } from '../../../lib/token.ts'
import { type FieldError, type ValueError, valueError } from '../../field-error.ts'
import { notAChoice } from '../../structure/answer-error.ts'
import { readAnswers } from '../../structure/answers.ts'
import { pickAny } from '../../structure/parse-answer.ts'
import { choiceIndex } from '../../structure/pick.ts'
import type { Answers, Field } from '../../structure/questionnaire.ts'
import { dropHidden, validateAnswers } from '../../structure/validate-answers.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { type Facts, importedResponse } from '../submit/imported.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import { readFact } from './facts.ts'
import type { Column } from './header.ts'

/** One row of an imported table as it will be stored, or what is wrong with it by column. */
export type Row = { incoming: NewResponse; answers: Answers } | { errors: FieldError[] }

/**
 * Reads one row. Where its completion is not given it has to be a complete response; where it is, its shape is checked.
 * @param now when it is stored; also when it was created, if the row does not say
 */
export function readRow(
  snapshot: SurveySnapshot,
  columns: readonly Column[],
  cells: readonly string[],
  now: Date,
): Row {
  const errors: FieldError[] = []
  const facts: Partial<Facts> = {}
  const raw: Record<string, unknown> = Object.create(null)
  const picked = new Map<Field, number[]>()
  for (const [place, column] of columns.entries()) {
    const cell = cells[place]!
    if (cell === '') continue
    if (column.kind === 'answer') raw[column.field.key] = cell
    else if (column.kind === 'fact') {
      const read = readFact(column.name, cell, snapshot)
      if ('code' in read) errors.push({ field: column.name, ...read })
      else Object.assign(facts, read)
    } else if (column.kind === 'choice') {
      const error = pick(column, cell, picked)
      if (error) errors.push({ field: column.name, ...error })
    }
  }
  for (const [field, indices] of picked) raw[field.key] = indices.filter((index) => index !== undefined)
  const read = readAnswers(snapshot.questionnaire, raw, 'strict', pickAny)
  errors.push(...read.errors)
  return errors.length ? { errors } : settle(snapshot, read.answers, facts, now)
}

/**
 * Puts a choice in its place among those picked: of a ranking the place is the cell, otherwise the cell names the choice.
 * @returns what is wrong with the cell, if anything
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

function settle(snapshot: SurveySnapshot, read: Answers, facts: Partial<Facts>, now: Date): Row {
  const { questionnaire } = snapshot
  const completed = facts.completed ?? 1
  const answers = completed === 0 ? read : dropHidden(questionnaire, read)
  const errors = facts.completed === undefined ? validateAnswers(questionnaire, answers) : []
  if (errors.length) return { errors }
  const whole: Facts = { key: randomKey(), createdAt: now, updatedAt: now, ...facts, completed }
  return { answers, incoming: importedResponse(snapshot, answers, whole) }
}
