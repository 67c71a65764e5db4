import { randomKey } from '../../../lib/secrets.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, type ValueError, valueError } from '../../field-error.ts'
import { notAChoice } from '../../structure/answer-error.ts'
import { codeAt, codedChoices } from '../../structure/choice-codes.ts'
import { anyChoiceIndex, type ChoiceValues } from '../../structure/parse-answer.ts'
import { parseAnswers, parseTicks } from '../../structure/parse-answers.ts'
import type { Answers, Field } from '../../structure/questionnaire.ts'
import { withoutUnchosenTexts } from '../../structure/submission-errors.ts'
import { validateAnswers, withCalculations } from '../../structure/validate-answers.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { type ImportedMeta, importedResponse } from '../submit/imported.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import type { Column } from './header.ts'
import { parseMeta } from './meta.ts'

/** A parsed row of an imported table, or its errors by column. */
export type Row = { response: NewResponse; answers: Answers; hasOtherCollector: boolean } | { errors: FieldError[] }

/** What all rows of a table have in common. */
export interface RowContext {
  /** Time of the import, and of a response whose row has no `_created_at`. */
  now: Date
  /** What the cells of choices contain. */
  values: ChoiceValues | 'codes'
}

/**
 * Parses a row. Without `_completed`, the row must be a valid complete response. With `_completed`, only the format of
 * the answers is checked, and missing answers are not errors.
 */
export function parseRow(
  snapshot: SurveySnapshot,
  columns: readonly Column[],
  cells: readonly string[],
  { now, values }: RowContext,
): Row {
  const errors: FieldError[] = []
  const meta: Partial<ImportedMeta> = {}
  const raw: Record<string, unknown> = Object.create(null)
  const ranks = new Map<Field, number[]>()
  const ticks = new Map<Field, Map<number, string>>()
  const selections = new Map<Field, number[]>()
  const removed = new Map<Field, number[]>()
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!
    if (cell === '') continue
    if (column.kind === 'answer') raw[column.field.key] = cell
    else if (column.kind === 'meta') {
      const parsed = parseMeta(column.name, cell, snapshot)
      if ('code' in parsed) errors.push({ field: column.name, ...parsed })
      else Object.assign(meta, parsed)
    } else if (
      column.kind === 'tick' ||
      (column.kind === 'choice' && values === 'codes' && column.field.type === 'multi')
    ) {
      const selected = tickIn(column, cell)
      if (selected === undefined) errors.push({ field: column.name, ...notAChoice(cell) })
      else if (selected) selections.set(column.field, [...(selections.get(column.field) ?? []), column.index])
    } else if (column.kind === 'removed') {
      const found = removedIn(column.field, cell, values)
      if (found.length > 0) removed.set(column.field, found)
    } else if (column.kind === 'choice') {
      const { field, index: choice } = column
      if (field.type !== 'ranking') ticks.set(field, (ticks.get(field) ?? new Map<number, string>()).set(choice, cell))
      else {
        const error = addRank(column, cell, ranks)
        if (error) errors.push({ field: column.name, ...error })
      }
    }
  }
  for (const [field, indices] of ranks) raw[field.key] = indices.filter((index) => index !== undefined)
  for (const [field, indices] of selections) raw[field.key] = indices
  for (const [field, cells] of ticks) {
    const parsed = parseTicks(field, cells)
    if ('value' in parsed) raw[field.key] = parsed.value ?? []
    else {
      const column = `${field.key}\\${parsed.index}`
      errors.push({
        field: column,
        ...notAChoice(cells.get(parsed.index), ` This column is for the choice ${parsed.index}.`),
      })
    }
  }
  for (const [field, indices] of removed) raw[field.key] = [...((raw[field.key] ?? []) as number[]), ...indices]
  const parsed = parseAnswers(snapshot.questionnaire, raw, 'strict', { lookup: anyChoiceIndex, values })
  errors.push(...parsed.errors)
  return errors.length ? { errors } : buildRow(snapshot, parsed.answers, meta, now)
}

/**
 * Returns the removed choices in a cell that lists their labels or codes, separated by commas. Labels can contain commas
 * themselves. Returns none if the cell lists anything else, such as choices of another survey.
 */
function removedIn(field: Field, cell: string, values: RowContext['values']): number[] {
  const names = codedChoices(field)
    .filter((choice) => choice.removed)
    .flatMap(({ index, code, label }) =>
      (values === 'codes' ? [code] : Object.values(label)).map((text): [string, number] => [text.trim(), index]),
    )
    .sort(([a], [b]) => b.length - a.length)
  const found: number[] = []
  for (let rest = cell.trim(); rest !== ''; ) {
    const next = names.find(([name, index]) => isFirst(name, rest) && !found.includes(index))
    if (!next) return []
    found.push(next[1])
    rest = rest.slice(next[0].length).replace(/^,\s*/, '')
  }
  return found
}

const isFirst = (name: string, list: string): boolean => name !== '' && (list === name || list.startsWith(`${name}, `))

/** Reports whether a cell selects the choice of its column: by 1 or 0, or by its code; undefined for any other cell. */
function tickIn({ kind, field, index }: { kind: 'tick' | 'choice'; field: Field; index: number }, cell: string) {
  const text = cell.trim()
  if (kind === 'choice') return text === codeAt(field, index).trim() || undefined
  return text === '1' ? true : text === '0' ? false : undefined
}

/**
 * Adds the choice of a column to a ranking. The cell contains the rank of the choice.
 * @returns the error of an invalid cell
 */
function addRank(
  { field, index }: { field: Field; index: number },
  cell: string,
  choices: Map<Field, number[]>,
): ValueError | undefined {
  const indices = choices.get(field) ?? []
  choices.set(field, indices)
  const rank = /^\d{1,6}$/.test(cell) ? Number(cell) : 0
  const max = field.choices.length + field.removed.length
  if (rank < 1 || rank > max) return valueError('invalid_value', {}, detail('rank_range', { max }))
  if (indices[rank] !== undefined) return valueError('duplicate', {}, detail('duplicate_rank', { rank }))
  indices[rank] = index
  return undefined
}

function buildRow(snapshot: SurveySnapshot, parsedAnswers: Answers, meta: Partial<ImportedMeta>, now: Date): Row {
  const { questionnaire } = snapshot
  const completed = meta.completed ?? 1
  const answers = withCalculations(questionnaire, withoutUnchosenTexts(questionnaire, parsedAnswers))
  const errors =
    meta.completed === undefined ? validateAnswers(questionnaire, answers, { now: meta.createdAt ?? now }) : []
  if (errors.length) return { errors }
  const fullMeta: ImportedMeta = { key: randomKey(), createdAt: now, updatedAt: now, ...meta, completed }
  const hasOtherCollector = 'collectorId' in meta && meta.collectorId === undefined
  return { answers, response: importedResponse(snapshot, answers, fullMeta), hasOtherCollector }
}
