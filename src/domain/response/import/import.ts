import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { quotasMet } from '../../structure/quota.ts'
import { lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { storeBatch } from '../submit/batch.ts'
import { readTable, type TableRow } from './table.ts'

/** Rows stored with one statement. */
const PORTION = 500
/** How often the table is read again because the survey changed under it. */
const MOST_TRIES = 3

/**
 * Stores each row of a CSV table as a response, all or none. The whole table is checked first, so the survey's feed is
 * locked only while rows are stored. Limits do not hold: these responses exist already. Writes and commits by itself.
 * @param text RFC 4180 with a header, see `readHeader`
 * @returns how many responses were stored
 * @throws {Problem} `survey_not_found`; `invalid_request` naming columns or rows; `busy`
 */
export async function importResponses(context: Context, surveyId: number, text: string): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const snapshot = await findSnapshot(context, surveyId, 'Analyze')
    const rows = await readTable(snapshot, text, context.now)
    checkKeysOnce(rows)
    if (await storeAll(context, snapshot, rows)) return rows.length
  }
  throw problems.busy()
}

/** @returns false, and nothing is stored, when the survey has changed since the table was checked */
async function storeAll(context: Context, snapshot: SurveySnapshot, rows: readonly TableRow[]): Promise<boolean> {
  try {
    await context.em.transactional(async (em) => {
      const db = em.getKysely<Tables>()
      await lockFeed(db, snapshot.id)
      for (let start = 0; start < rows.length; start += PORTION) {
        const portion = rows.slice(start, start + PORTION)
        await checkKeysFree(db, snapshot.id, portion)
        const ids = await storeBatch(
          db,
          portion.map(({ incoming }) => incoming),
        )
        if (ids.includes('stale')) throw STALE
        await takePlaces(db, snapshot, portion, ids as number[])
      }
    })
    return true
  } catch (error) {
    if (error === STALE) return false
    throw error
  }
}

/** Rolls the transaction back; never leaves this file. */
const STALE = new Error('the survey has changed')

const keyTwice = ({ number }: TableRow): FieldError =>
  fieldError(`row ${number}: _key`, 'taken', {}, 'is the key of an existing response')

function checkKeysOnce(rows: readonly TableRow[]): void {
  const seen = new Set<string>()
  const errors: FieldError[] = []
  for (const row of rows) {
    const key = row.incoming.key.toString('hex')
    if (seen.has(key)) errors.push(fieldError(`row ${row.number}: _key`, 'duplicate', {}, 'occurs in an earlier row'))
    seen.add(key)
  }
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
}

async function checkKeysFree(db: Kysely<Tables>, surveyId: number, portion: readonly TableRow[]): Promise<void> {
  const stored = await db
    .selectFrom('response')
    .select('key')
    .where('survey_id', '=', surveyId)
    .where((eb) => eb('key', '=', eb.fn.any(eb.val(portion.map(({ incoming }) => incoming.key)))))
    .execute()
  if (!stored.length) return
  const taken = new Set(stored.map(({ key }) => key.toString('hex')))
  throw problems.invalidCsv(portion.filter(({ incoming }) => taken.has(incoming.key.toString('hex'))).map(keyTwice))
}

/** Complete responses take their places in the quotas, even one too many. */
async function takePlaces(
  db: Kysely<Tables>,
  { id, questionnaire }: SurveySnapshot,
  portion: readonly TableRow[],
  ids: readonly number[],
): Promise<void> {
  const rows = portion.flatMap(({ incoming, answers }, index) =>
    incoming.completed === 1
      ? quotasMet(questionnaire, answers).map(({ name }) => ({ survey_id: id, quota: name, response_id: ids[index]! }))
      : [],
  )
  if (rows.length) await db.insertInto('response_quota').values(rows).execute()
}
