import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { RangeCounts } from './id-ranges.ts'
import type { RollupState } from './state.ts'

/** New counts to store in a rollup. */
export interface RollupUpdate {
  seq: number
  lastId: number
  /** Names of all predicates that the rollup counts after the update. */
  predicates: readonly string[]
  /** New segments, and segments that were counted again, with the counts of all predicates. */
  recounted: readonly SegmentCounts[]
  /** Unchanged segments, with the counts of the added predicates. */
  extended: readonly SegmentCounts[]
  /** Whether all stored segments are deleted before the new segments are stored. */
  replacesAll: boolean
}

export interface SegmentCounts extends RangeCounts {
  number: number
  lastId: number
}

/**
 * Stores an update of a survey's rollup. If another transaction has updated the rollup since `before` was read, does
 * nothing, because stored counts are only an optimization.
 * @param before the state on which the update is based; undefined: no rollup was stored
 */
export async function saveRollup(
  { em }: Pick<PublicContext, 'em'>,
  surveyId: number,
  before: RollupState | undefined,
  update: RollupUpdate,
): Promise<void> {
  await em.fork().transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    if (!(await advanceState(db, surveyId, before, update))) return
    const numbers = update.recounted.map(({ number }) => number)
    if (update.replacesAll) await db.deleteFrom('response_segment').where('survey_id', '=', surveyId).execute()
    else if (numbers.length > 0)
      for (const table of ['response_bitmap', 'response_progress'])
        await sql`delete from ${sql.table(table)}
          where survey_id = ${surveyId}::bigint and segment_number = any(${numbers}::integer[])`.execute(db)
    await upsert(
      db,
      surveyId,
      update.recounted,
      sql`counts = excluded.counts, indexed_predicates = 0, ${EXCLUDED_TIMES}`,
    )
    await upsert(db, surveyId, update.extended, sql`counts = response_segment.counts || excluded.counts`)
  })
}

/** Stores the new state. @returns false if another transaction has changed the state */
async function advanceState(
  db: Kysely<Tables>,
  surveyId: number,
  before: RollupState | undefined,
  { seq, lastId, predicates }: RollupUpdate,
): Promise<boolean> {
  const names = sql<string[]>`${predicates}::text[]`
  if (before) {
    const updated = await db
      .updateTable('response_rollup')
      .set((eb) => ({ seq, last_id: lastId, predicates: names, generation: eb('generation', '+', 1) }))
      .where('survey_id', '=', surveyId)
      .where('generation', '=', before.generation)
      .executeTakeFirstOrThrow()
    return updated.numUpdatedRows > 0n
  }
  // The lock (`for key share`) keeps the survey from being deleted between the select and the insert.
  const inserted = await sql`insert into response_rollup (survey_id, seq, last_id, predicates)
    select id, ${seq}::bigint, ${lastId}::bigint, ${names} from survey where id = ${surveyId}::bigint for key share
    on conflict (survey_id) do nothing`.execute(db)
  return (inserted.numAffectedRows ?? 0n) > 0n
}

const EXCLUDED_TIMES = sql`first_created = excluded.first_created, last_created = excluded.last_created,
  first_updated = excluded.first_updated, last_updated = excluded.last_updated`

async function upsert(
  db: Kysely<Tables>,
  surveyId: number,
  segments: readonly SegmentCounts[],
  changes: ReturnType<typeof sql>,
): Promise<void> {
  if (segments.length === 0) return
  const numbers = segments.map(({ number }) => number)
  const ends = segments.map(({ lastId }) => lastId)
  const counts = segments.map((segment) => `{${segment.counts.join(',')}}`)
  const times = (of: (segment: SegmentCounts) => string | null) => sql`${segments.map(of)}::timestamptz[]`
  await sql`insert into response_segment
      (survey_id, number, last_id, counts, first_created, last_created, first_updated, last_updated)
    select ${surveyId}::bigint, number, last_id, counts::integer[], first_created, last_created, first_updated, last_updated
    from unnest(${numbers}::integer[], ${ends}::bigint[], ${counts}::text[],
      ${times(({ created }) => created[0])}, ${times(({ created }) => created[1])},
      ${times(({ updated }) => updated[0])}, ${times(({ updated }) => updated[1])}
    ) as segment(number, last_id, counts, first_created, last_created, first_updated, last_updated)
    on conflict (survey_id, number) do update set ${changes}`.execute(db)
}
