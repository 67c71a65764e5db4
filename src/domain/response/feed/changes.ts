import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { type ChangeKind, changeKind } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'

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

/** Where a reader stands: the last change read, 0 before the first. */
interface Position {
  seq: number
  /** That of this change; absent at the beginning, and in cursors of before 2026-11-22. */
  epoch?: number | undefined
}

/** Opaque to callers. */
const printCursor = (surveyId: number, { seq, epoch }: Position) =>
  Buffer.from([surveyId, seq, epoch].filter((part) => part !== undefined).join(':')).toString('base64url')

const CURSOR = /^(\d{1,15}):(\d{1,15})(?::(\d{1,16}))?$/

/** @throws {Problem} `invalid_request` for what no call of this survey's feed gave */
function readCursor(surveyId: number, cursor: string): Position {
  const [, survey, seq, epoch] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  const position = { seq: Number(seq), epoch: epoch === undefined ? undefined : Number(epoch) }
  if (Number(survey) !== surveyId || printCursor(surveyId, position) !== cursor)
    throw problems.invalidField('since', 'invalid_cursor')
  return position
}

/**
 * What happened to the responses of a survey after a cursor, oldest first. Whoever follows the cursors sees every
 * create, edit and delete exactly once: numbers are taken under the lock of `survey_feed`, held until the commit, so
 * no smaller number can become visible after a larger one.
 * @param since a cursor of an earlier call; absent: from the beginning
 * @throws {Problem} `survey_not_found`, `invalid_request`; `cursor_expired` when the change at which the cursor stands is no
 *   longer there, because the database was restored
 */
export async function listChanges(
  context: Context,
  surveyId: number,
  { since, limit }: { since?: string | undefined; limit: number },
): Promise<Changes> {
  await findSnapshot(context, surveyId, 'Analyze')
  const position: Position = since === undefined ? { seq: 0 } : readCursor(surveyId, since)
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('response_change')
    .select(['seq', 'kind', 'response_id', 'at'])
    .select((eb) => eb.fn.coalesce('epoch', eb.val(0)).as('epoch'))
    .where('survey_id', '=', surveyId)
    .where('seq', '>=', position.seq)
    .orderBy('seq')
    // One that was read before and one that tells whether there is more.
    .limit(limit + 2)
    .execute()
  if (position.seq > 0) checkReached(position, rows.shift())
  const read = rows.slice(0, limit)
  const changes = read.map(({ seq, kind, response_id, at }) => ({
    seq,
    kind: changeKind(kind),
    responseId: response_id,
    at: new Date(at),
  }))
  return { changes, cursor: printCursor(surveyId, read.at(-1) ?? position), more: rows.length > limit }
}

/** Another change under the number that was read last, or none, means that the database was restored. */
function checkReached({ seq, epoch }: Position, last: { seq: number; epoch: number } | undefined): void {
  if (last?.seq !== seq || (epoch !== undefined && epoch !== last.epoch)) throw problems.cursorExpired()
}
