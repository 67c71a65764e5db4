import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** What happened to a response. */
export type ChangeKind = 'created' | 'edited' | 'deleted'

/** How a kind is stored in `response_change.kind`, and how many responses more or less it makes. */
const KINDS: Readonly<Record<ChangeKind, { stored: number; more: -1 | 0 | 1 }>> = {
  created: { stored: 1, more: 1 },
  edited: { stored: 2, more: 0 },
  deleted: { stored: 3, more: -1 },
}

/** The kind behind a stored number. */
export const changeKind = (stored: number): ChangeKind =>
  stored === KINDS.created.stored ? 'created' : stored === KINDS.edited.stored ? 'edited' : 'deleted'

/** A response that was changed, and the collector it counts for. */
export interface ChangedResponse {
  id: number
  collectorId: number
}

/**
 * Locks a survey's feed until the commit, then the survey against being changed or deleted. Every change of responses
 * takes these locks before it touches a row, so the order of the feed's numbers is the order of commits, two changes
 * never wait for each other crosswise, and no response outlives its survey.
 */
export async function lockFeed(db: Kysely<Tables>, surveyId: number): Promise<void> {
  await lockCounters(db, surveyId)
  await db.selectFrom('survey').select('id').where('id', '=', surveyId).forShare().execute()
}

/**
 * Locks a survey's feed until the commit, then the survey itself: for who changes a survey together with its responses. A
 * survey that nobody has answered has no feed; two who held it with a share would then wait for each other.
 */
export async function lockFeedAndSurvey(db: Kysely<Tables>, surveyId: number): Promise<void> {
  await lockCounters(db, surveyId)
  await db.selectFrom('survey').select('id').where('id', '=', surveyId).forUpdate().execute()
}

const lockCounters = (db: Kysely<Tables>, surveyId: number) =>
  db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).forUpdate().execute()

/**
 * Appends one change for each response to the feed, in the order given, and moves the counters of the survey and its
 * collectors. Call it inside a transaction; it holds the feed's lock until the commit.
 */
export async function appendChanges(
  db: Kysely<Tables>,
  surveyId: number,
  touched: readonly ChangedResponse[],
  kind: ChangeKind,
  now: Date,
): Promise<void> {
  if (!touched.length) return
  const { stored, more } = KINDS[kind]
  const last = await advanceFeed(db, surveyId, touched.length, more * touched.length)
  const ids = touched.map(({ id }) => id)
  await db
    .insertInto('response_change')
    .columns(['survey_id', 'seq', 'response_id', 'kind', 'at'])
    .expression(
      sql`select ${surveyId}::bigint, ${last - ids.length}::bigint + place, id, ${stored}::smallint, ${now}::timestamptz
        from unnest(${ids}::bigint[]) with ordinality as given(id, place)`,
    )
    .execute()
  if (more !== 0) await addToCounts(db, surveyId, countByCollector(touched, more))
}

/** Takes the next numbers of the feed and moves the survey's count. @returns the last number taken */
async function advanceFeed(db: Kysely<Tables>, surveyId: number, changes: number, responses: number): Promise<number> {
  const { seq } = await db
    .insertInto('survey_feed')
    .values({ survey_id: surveyId, seq: changes, responses })
    .onConflict((conflict) =>
      conflict.column('survey_id').doUpdateSet((eb) => ({
        seq: eb('survey_feed.seq', '+', eb.ref('excluded.seq')),
        responses: eb('survey_feed.responses', '+', eb.ref('excluded.responses')),
      })),
    )
    .returning('seq')
    .executeTakeFirstOrThrow()
  return seq
}

function countByCollector(touched: readonly ChangedResponse[], more: number): Map<number, number> {
  const moves = new Map<number, number>()
  for (const { collectorId } of touched) moves.set(collectorId, (moves.get(collectorId) ?? 0) + more)
  return moves
}

/** Moves the counts of collectors, by collector id; the rows in order of id, as the inbox takes them. */
export async function addToCounts(
  db: Kysely<Tables>,
  surveyId: number,
  moves: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = [...moves]
    .sort(([a], [b]) => a - b)
    .map(([collector_id, responses]) => ({ survey_id: surveyId, collector_id, responses }))
  await db
    .insertInto('response_count')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['survey_id', 'collector_id'])
        .doUpdateSet((eb) => ({ responses: eb('response_count.responses', '+', eb.ref('excluded.responses')) })),
    )
    .execute()
}
