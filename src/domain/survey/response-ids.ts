import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { Survey } from './survey.ts'

/** Number of ids that are reserved for a survey at a time. */
const BLOCK_IDS = 1_000

/** A survey for whose responses fewer ids are reserved gets further ones in the next hour. */
const LOW_IDS = BLOCK_IDS / 2

/**
 * Lets the responses of a survey have reserved ids from now on. Call it when the survey or one of its collectors becomes
 * anonymous, in a transaction that increments the revision of the survey.
 */
export async function useOwnIds({ em }: Pick<Context, 'em'>, { id, ownIdsFrom }: Survey): Promise<void> {
  if (ownIdsFrom != null) return
  const db = em.getKysely<Tables>()
  const own_ids_from = await reserveResponseIds(db, id)
  await db.updateTable('survey').set({ own_ids_from }).where('id', '=', id).execute()
}

/**
 * Reserves the next ids of the installation for the responses of a survey. The ids of other surveys then do not show
 * when a response of this survey was stored. Locks the feed of the survey until the commit.
 * @returns the smallest reserved id
 */
async function reserveResponseIds(db: Kysely<Tables>, surveyId: number): Promise<number> {
  const { rows } = await sql<{ first: number }>`select add_response_ids(${surveyId},
    array(select nextval('response_id_seq') from generate_series(1, ${sql.lit(BLOCK_IDS)}))) as first`.execute(db)
  return rows[0]!.first
}

/**
 * Reserves further ids for the surveys that have few left. Call it at a fixed time of each hour: the ids then do not
 * show when a response was stored. If the ids of a survey run out before, `store_batch` reserves further ones.
 */
export async function replenishResponseIds(db: Kysely<Tables>): Promise<void> {
  const surveys = await db.selectFrom('survey').select('id').where('own_ids_from', 'is not', null).execute()
  for (const { id } of surveys) {
    const { rows } = await sql<{ free: number }>`
      select coalesce(sum(upper(part) - lower(part)), 0)::bigint as free from survey_feed, unnest(response_ids) as part
      where survey_feed.survey_id = ${id}`.execute(db)
    if (rows[0]!.free < LOW_IDS) await reserveResponseIds(db, id)
  }
}
