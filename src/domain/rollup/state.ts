import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Stretch } from './id-ranges.ts'

/** Responses of a chunk when it is made; deletions leave it smaller. */
export const CHUNK = 4_096

/** So many changes after which sums are worth being brought up to date: until then every change may make a chunk useless. */
export const BEHIND = 256

/** Sums that are kept of a survey: what they count, up to which response, and as of when. */
export interface Summary {
  generation: number
  /** The number of the change feed up to which everything is counted. */
  seq: number
  lastId: number
  /** Names of the slots, in the order of the counts. */
  slots: readonly string[]
  /** The last id of each chunk, by its number. */
  ends: readonly number[]
}

/** What is kept of a survey; undefined: nothing yet. */
export async function readSummary(db: Kysely<Tables>, surveyId: number): Promise<Summary | undefined> {
  const row = await db
    .selectFrom('response_summary')
    .select(['generation', 'seq', 'last_id', 'slots'])
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  if (!row) return undefined
  const chunks = await db
    .selectFrom('response_chunk')
    .select('last_id')
    .where('survey_id', '=', surveyId)
    .orderBy('number')
    .execute()
  const { generation, seq, last_id: lastId, slots } = row
  return { generation, seq, lastId, slots, ends: chunks.map(({ last_id }) => last_id) }
}

/** The last number of a survey's change feed. */
export async function feedOf(db: Kysely<Tables>, surveyId: number): Promise<number> {
  const row = await db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * The chunks in which something happened since they were counted, by number. A response that was being stored under an
 * id before the end of a chunk, and was committed after it was counted, is a change like any other: nothing has to be
 * locked while counting.
 */
export async function staleSegments(
  db: Kysely<Tables>,
  surveyId: number,
  { seq, lastId, ends }: Summary,
): Promise<Set<number>> {
  const changed = db
    .selectFrom('response_change')
    .where('survey_id', '=', surveyId)
    .where('seq', '>', seq)
    .where('response_id', '<=', lastId)
    .select(sql<number>`width_bucket(response_id, ${ends.map((end) => end + 1)}::bigint[])`.as('number'))
    .distinct()
  return new Set((await changed.execute()).map(({ number }) => number))
}

/** Where the next whole chunks end, after the last one. */
export async function nextEnds(db: Kysely<Tables>, surveyId: number, lastId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from (
      select id, row_number() over (order by id) as place from response
      where survey_id = ${surveyId}::bigint and id > ${lastId}::bigint
    ) as later where place % ${CHUNK}::integer = 0 order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The stretches that end at each of `ends`, the first one after `from`. */
export const stretchesOf = (ends: readonly number[], from = 0): Stretch[] =>
  ends.map((upto, at) => ({ after: at === 0 ? from : ends[at - 1]!, upto }))

/** Adds up what is kept, chunks of some numbers left out. @returns in the order of the summary's slots */
export async function addUp(db: Kysely<Tables>, surveyId: number, without: ReadonlySet<number>): Promise<number[]> {
  const { rows } = await sql<{ total: number }>`
    select sum(count)::bigint as total
    from response_chunk, unnest(counts) with ordinality as counted(count, slot)
    where survey_id = ${surveyId}::bigint and number <> all(${[...without]}::integer[])
    group by slot order by slot`.execute(db)
  return rows.map(({ total }) => total)
}
