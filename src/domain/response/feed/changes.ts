import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { type ChangeKind, changeKind } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'

/** A change of a response. `seq` counts from 1 without gaps, in the order of commits. */
export interface ResponseChange {
  seq: number
  kind: ChangeKind
  responseId: number
  at: Date
}

/** A page of the feed. */
export interface Changes {
  changes: ResponseChange[]
  /** The cursor of the next page. The next page may not have any changes yet. */
  cursor: string
  /** Whether the next page already has changes. */
  more: boolean
  snapshot: SurveySnapshot
}

/**
 * The position of a client in the feed: the number of the last change that it received, or 0 if it has received none.
 */
interface Position {
  seq: number
  /** Epoch of the last received change; absent at the beginning and in cursors of earlier versions. */
  epoch?: number | undefined
}

/** Formats a cursor, which is opaque to clients. */
const printCursor = (surveyId: number, { seq, epoch }: Position) =>
  Buffer.from([surveyId, seq, epoch].filter((part) => part !== undefined).join(':')).toString('base64url')

const CURSOR = /^(\d{1,15}):(\d{1,15})(?::(\d{1,16}))?$/

/** @throws {Problem} `invalid_request` for a cursor of another feed */
function parseCursor(surveyId: number, cursor: string): Position {
  const [, survey, seq, epoch] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  const position = { seq: Number(seq), epoch: epoch === undefined ? undefined : Number(epoch) }
  if (Number(survey) !== surveyId || printCursor(surveyId, position) !== cursor)
    throw problems.invalidField('since', 'invalid_cursor')
  return position
}

/**
 * Lists the changes of a survey's responses after a cursor, oldest first. A client that follows the cursors receives
 * every change exactly once: a transaction assigns the number of a change under the lock of `survey_feed` and holds the
 * lock until the commit. A smaller number therefore never becomes visible after a larger one.
 * @param since a cursor of an earlier call; absent: from the beginning
 * @throws {Problem} `survey_not_found`, `invalid_request`; `cursor_expired` if the change of the cursor does not exist,
 *   because the database was restored
 */
export async function listChanges(
  context: Context,
  surveyId: number,
  { since, limit }: { since?: string | undefined; limit: number },
): Promise<Changes> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const position: Position = since === undefined ? { seq: 0 } : parseCursor(surveyId, since)
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('response_change')
    .select(['seq', 'kind', 'response_id', 'at'])
    .select((eb) => eb.fn.coalesce('epoch', eb.val(0)).as('epoch'))
    .where('survey_id', '=', surveyId)
    .where('seq', '>=', position.seq)
    .orderBy('seq')
    // Reads two more rows than requested: the change of the cursor, and one that shows whether there is a next page.
    .limit(limit + 2)
    .execute()
  if (position.seq > 0) checkEpoch(position, rows.shift())
  const pageRows = rows.slice(0, limit)
  const changes = pageRows.map(({ seq, kind, response_id, at }) => ({
    seq,
    kind: changeKind(kind),
    responseId: response_id,
    at: new Date(at),
  }))
  return { changes, cursor: printCursor(surveyId, pageRows.at(-1) ?? position), more: rows.length > limit, snapshot }
}

/**
 * Checks that the change of the cursor exists. After a restore of the database, the change is missing or has another
 * epoch.
 */
function checkEpoch({ seq, epoch }: Position, last: { seq: number; epoch: number } | undefined): void {
  if (last?.seq !== seq || (epoch !== undefined && epoch !== last.epoch)) throw problems.cursorExpired()
}
