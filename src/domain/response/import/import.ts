import type { Kysely } from 'kysely'
import { randomKey } from '../../../lib/secrets.ts'
import type { Context } from '../../context.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { recordActivity } from '../../security/record.ts'
import { notAChoice } from '../../structure/answer-error.ts'
import { codeAt, codedChoices } from '../../structure/choices.ts'
import { anyChoiceIndex, type ChoiceValues } from '../../structure/parse-answer.ts'
import { parseAnswers, parseTicks } from '../../structure/parse-answers.ts'
import type { Answers, Field } from '../../structure/questionnaire.ts'
import { matchingQuotas } from '../../structure/quota.ts'
import { validateAnswers, withDerivedAnswers, withoutUnchosenTexts } from '../../structure/validate-answers.ts'
import { lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { readTable } from '../../table/read-table.ts'
import type { Tables } from '../../tables.ts'
import { storeBatch } from '../submit/batch.ts'
import { type ImportedMeta, importedResponse } from '../submit/imported.ts'
import type { NewResponse } from '../submit/new-response.ts'
import { type Column, type Header, isHeading, parseHeader, parseMeta, type RowContext } from './header.ts'

/** Maximum number of rows per statement. */
const INSERT_BATCH_ROWS = 500
/**
 * Maximum number of attempts to store a table. If the survey has changed since the validation, the next attempt
 * validates the table again.
 */
const MAX_ATTEMPTS = 3

/** The result of an import. */
export interface ImportedResponses {
  /** The number of stored responses. */
  imported: number
  /** The number of rows whose cells are all blank. */
  skipped: number
  /** The number of responses with the default collector because `_collector` is not a collector of the survey. */
  otherCollectors: number
}

/**
 * Stores all rows of a table as responses, or none. Validates the table first, so that the feed of the survey is
 * locked only while rows are stored. Quotas and `max_responses` do not apply. Runs its own transaction.
 * @param text a table with a header, see `readTable` and `parseHeader`
 * @param values what numbers stand for that are the index of a choice and the label of another
 * @throws {Problem} `survey_not_found`; `invalid_csv` naming columns or rows; `busy`
 */
export async function importResponses(
  context: Context,
  surveyId: number,
  text: string,
  values: ChoiceValues = 'auto',
): Promise<ImportedResponses> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const snapshot = await findSnapshot(context, surveyId, 'Correct')
    const { rows, skipped } = await parseTable(snapshot, text, { now: context.now, values })
    checkKeysUnique(rows)
    if (await storeRows(context, snapshot, rows)) {
      const otherCollectors = rows.filter(({ hasOtherCollector }) => hasOtherCollector).length
      return { imported: rows.length, skipped, otherCollectors }
    }
  }
  throw problems.busy()
}

/**
 * Stores the responses.
 * @returns false if the survey has changed since the validation; then nothing is stored
 */
export async function storeRows(
  context: Context,
  snapshot: SurveySnapshot,
  rows: readonly TableRow[],
): Promise<boolean> {
  try {
    await context.em.transactional(async (em) => {
      const db = em.getKysely<Tables>()
      await lockFeed(db, snapshot.id)
      for (let start = 0; start < rows.length; start += INSERT_BATCH_ROWS) {
        const batch = rows.slice(start, start + INSERT_BATCH_ROWS)
        await checkKeysNew(db, snapshot.id, batch)
        const ids = await storeBatch(
          db,
          batch.map(({ response }) => response),
        )
        if (ids.includes('stale')) throw STALE
        await countForQuotas(db, snapshot, batch, ids as number[])
      }
      if (rows.length > 0)
        await recordActivity({ ...context, em }, snapshot.id, 'responses_imported', { count: rows.length })
    })
    return true
  } catch (error) {
    if (error === STALE) return false
    throw error
  }
}

/** Thrown to roll back the transaction if the survey has changed. */
const STALE = new Error('the survey has changed')

const keyExists = ({ number }: TableRow): FieldError =>
  fieldError(`row ${number}: _key`, 'taken', {}, detail('existing_key'))

function checkKeysUnique(rows: readonly TableRow[]): void {
  const keys = new Set<string>()
  const errors: FieldError[] = []
  for (const row of rows) {
    const key = row.response.key.toString('hex')
    if (keys.has(key)) errors.push(fieldError(`row ${row.number}: _key`, 'duplicate', {}, detail('key_in_earlier_row')))
    keys.add(key)
  }
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
}

async function checkKeysNew(db: Kysely<Tables>, surveyId: number, batch: readonly TableRow[]): Promise<void> {
  const stored = await db
    .selectFrom('response')
    .select('key')
    .where('survey_id', '=', surveyId)
    .where((eb) => eb('key', '=', eb.fn.any(eb.val(batch.map(({ response }) => response.key)))))
    .execute()
  if (!stored.length) return
  const existingKeys = new Set(stored.map(({ key }) => key.toString('hex')))
  throw problems.invalidCsv(
    batch.filter(({ response }) => existingKeys.has(response.key.toString('hex'))).map(keyExists),
  )
}

/** Counts complete responses towards the quotas that they match, even if a quota is exceeded. */
async function countForQuotas(
  db: Kysely<Tables>,
  { id, questionnaire }: SurveySnapshot,
  batch: readonly TableRow[],
  ids: readonly number[],
): Promise<void> {
  const rows = batch.flatMap(({ response, answers }, index) =>
    response.completed === 1
      ? matchingQuotas(questionnaire, answers).map(({ name }) => ({
          survey_id: id,
          quota: name,
          response_id: ids[index]!,
        }))
      : [],
  )
  if (rows.length) await db.insertInto('response_quota').values(rows).execute()
}

/** Maximum number of responses per import. */
const MAX_IMPORT_ROWS = 100_000

/** A validated row. The header has the number 1. */
export interface TableRow {
  number: number
  response: NewResponse
  answers: Answers
  /** Whether `_collector` names no collector of the survey. The response then has the default collector. */
  hasOtherCollector: boolean
}

/** A validated table. */
interface Table {
  rows: TableRow[]
  /** The number of rows whose cells are all blank. */
  skipped: number
}

/**
 * Parses and validates a table.
 * @throws {Problem} `invalid_csv`, as `readTable` does
 */
async function parseTable(snapshot: SurveySnapshot, text: string, context: RowContext): Promise<Table> {
  const rows: TableRow[] = []
  const { skipped } = await readTable<Header>(text, {
    isHeading: (cell) => isHeading(snapshot, cell),
    readHeader: (cells) => parseHeader(snapshot, cells),
    readRow({ columns, values = 'auto' }, cells, number) {
      const row = parseRow(snapshot, columns, cells, context.values === 'auto' ? { ...context, values } : context)
      if ('errors' in row) return row.errors.map((error) => ({ ...error, field: `row ${number}: ${error.field}` }))
      rows.push({ number, ...row })
      if (rows.length > MAX_IMPORT_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MAX_IMPORT_ROWS }, detail('too_many_rows', { max: MAX_IMPORT_ROWS })),
        ])
      return []
    },
  })
  return { rows, skipped }
}

/** A parsed row of an imported table, or its errors by column. */
type Row = { response: NewResponse; answers: Answers; hasOtherCollector: boolean } | { errors: FieldError[] }

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

/**
 * Builds the response of a row. Without `completed`, the answers must be those of a valid complete response.
 */
export function buildRow(
  snapshot: SurveySnapshot,
  parsedAnswers: Answers,
  meta: Partial<ImportedMeta>,
  now: Date,
): Row {
  const { questionnaire } = snapshot
  const completed = meta.completed ?? 1
  const answers = withDerivedAnswers(questionnaire, withoutUnchosenTexts(questionnaire, parsedAnswers))
  const errors =
    meta.completed === undefined ? validateAnswers(questionnaire, answers, { now: meta.createdAt ?? now }) : []
  if (errors.length) return { errors }
  const fullMeta: ImportedMeta = { key: randomKey(), createdAt: now, updatedAt: now, ...meta, completed }
  const hasOtherCollector = 'collectorId' in meta && meta.collectorId === undefined
  return { answers, response: importedResponse(snapshot, answers, fullMeta), hasOtherCollector }
}
