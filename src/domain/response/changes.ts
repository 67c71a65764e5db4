import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { type ChangeKind, changeKind } from './feed.ts'

/** One thing that happened to a response. `seq` grows from 1 without a gap, in the order of commits. */
export interface ResponseChange {
  seq: number
  kind: ChangeKind
  responseId: number
  at: Date
}

/** A stretch of the feed. */
export interface Changes {
  changes: ResponseChange[]
  /** Where the next call goes on, also when there is nothing new yet. */
  cursor: string
  /** Whether more is waiting already. */
  more: boolean
}

/** Opaque to callers: the survey it belongs to and the last number read. */
const printCursor = (surveyId: number, seq: number) => Buffer.from(`${surveyId}:${seq}`).toString('base64url')

const CURSOR = /^(\d{1,15}):(\d{1,15})$/

/** @returns the last number read; @throws {Problem} `invalid_request` for what no call of this survey's feed gave */
function readCursor(surveyId: number, cursor: string): number {
  const [, survey, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (Number(survey) !== surveyId || printCursor(surveyId, Number(seq)) !== cursor) throw notACursor()
  return Number(seq)
}

const notACursor = () => problems.invalidField('since', 'is not a cursor that this feed gave')

/**
 * What happened to the responses of a survey after a cursor, oldest first. Whoever follows the cursors sees every
 * create, edit and delete exactly once: numbers are taken under the lock of `survey_feed`, held until the commit, so
 * no smaller number can become visible after a larger one.
 * @param since a cursor of an earlier call; absent: from the beginning
 * @throws {Problem} `survey_not_found`, `invalid_request`
 */
export async function listChanges(
  context: Context,
  surveyId: number,
  { since, limit }: { since?: string | undefined; limit: number },
): Promise<Changes> {
  await findSnapshot(context, surveyId, 'Analyze')
  const after = since === undefined ? 0 : readCursor(surveyId, since)
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('response_change')
    .select(['seq', 'kind', 'response_id', 'at'])
    .where('survey_id', '=', surveyId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit + 1)
    .execute()
  if (!rows.length) await checkReached(context, surveyId, after)
  const changes = rows.slice(0, limit).map((row) => ({
    seq: row.seq,
    kind: changeKind(row.kind),
    responseId: row.response_id,
    at: new Date(row.at),
  }))
  const cursor = printCursor(surveyId, changes.at(-1)?.seq ?? after)
  return { changes, cursor, more: rows.length > limit }
}

/** A cursor ahead of the feed comes from a database that is no more: its holder has to begin again, and is told so. */
async function checkReached({ em }: Context, surveyId: number, after: number): Promise<void> {
  if (after === 0) return
  const feed = await em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .select('seq')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  if (!feed || feed.seq < after) throw notACursor()
}
