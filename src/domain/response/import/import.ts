import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import type { ChoiceValues } from '../../structure/parse-answer.ts'
import { matchingQuotas } from '../../structure/quota.ts'
import { lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { storeBatch } from '../submit/batch.ts'
import { parseTable, type TableRow } from './table.ts'

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
    const snapshot = await findSnapshot(context, surveyId, 'Analyze')
    const { rows, skipped } = await parseTable(snapshot, text, { now: context.now, values })
    checkKeysUnique(rows)
    if (await storeAll(context, snapshot, rows)) {
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
async function storeAll(context: Context, snapshot: SurveySnapshot, rows: readonly TableRow[]): Promise<boolean> {
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
