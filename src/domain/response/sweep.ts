import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import { invalidateSurvey } from '../survey/snapshot.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'

/** Tables that have no foreign key to the survey, each with the last column of its primary key. */
const UNLINKED_TABLES = {
  response: 'id',
  response_change: 'seq',
  response_revision: 'id',
  response_coding: 'response_id',
  response_coding_state: 'survey_id',
  response_count: 'collector_id',
  survey_feed: 'survey_id',
  uploaded_file: 'key',
} as const

/**
 * Deletes rows of deleted surveys and restores deleted collectors that have responses. Earlier versions left such rows
 * and responses behind if responses were submitted during the deletion.
 */
export async function sweepOrphans(context: PublicContext, signal: AbortSignal): Promise<void> {
  const db = context.em.getKysely<Tables>()
  for (const table of Object.keys(UNLINKED_TABLES) as (keyof typeof UNLINKED_TABLES)[])
    for (const surveyId of await deletedSurveysIn(db, table, signal)) {
      if (signal.aborted) return
      await deleteInBatches(signal, () => deleteBatch(db, table, surveyId))
    }
  if (!signal.aborted) await restoreCollectors(context)
}

/** Number of IDs that a statement looks up. */
const LOOKUP_IDS = 10_000

/**
 * Returns the IDs of deleted surveys that still have rows in a table. Looks up only the IDs that no survey has, in the
 * index of the table, so the duration does not depend on the number of rows. Skips ranges of IDs without rows, so large
 * gaps between IDs take no time either.
 */
async function deletedSurveysIn(
  db: Kysely<Tables>,
  table: keyof typeof UNLINKED_TABLES,
  signal: AbortSignal,
): Promise<number[]> {
  const existing = new Set((await db.selectFrom('survey').select('id').execute()).map(({ id }) => id))
  const comment = sql.raw(ACROSS_SURVEYS)
  const found: number[] = []
  for (let from = 1; !signal.aborted; from += LOOKUP_IDS) {
    const { rows: next } = await sql<{ id: number }>`
      select ${comment} survey_id as id from ${sql.table(table)} where survey_id >= ${from} order by survey_id limit 1
    `.execute(db)
    if (!next[0]) break
    from = next[0].id
    const unknown = Array.from({ length: LOOKUP_IDS }, (_, index) => from + index).filter((id) => !existing.has(id))
    const { rows } = await sql<{ id: number }>`
      select distinct ${comment} survey_id as id from ${sql.table(table)} where survey_id = any(${unknown}) order by 1
    `.execute(db)
    found.push(...rows.map(({ id }) => id))
  }
  if (!found.length) return []
  // A survey can have been created after the set of IDs was read.
  const newer = await db.selectFrom('survey').select('id').where('id', 'in', found).execute()
  const created = new Set(newer.map(({ id }) => id))
  return found.filter((id) => !created.has(id))
}

async function deleteBatch(db: Kysely<Tables>, table: keyof typeof UNLINKED_TABLES, surveyId: number) {
  const [rows, key] = [sql.table(table), sql.ref(UNLINKED_TABLES[table])]
  const { numAffectedRows = 0n } = await sql`
    delete from ${rows} where survey_id = ${surveyId}
    and ${key} = any(array(select ${key} from ${rows} where survey_id = ${surveyId} order by ${key} limit ${DELETE_BATCH_ROWS}))
  `.execute(db)
  return { numDeletedRows: numAffectedRows }
}

/**
 * Restores deleted collectors as closed collectors, so that counts and filters by collector include their responses. A
 * restored collector is anonymous unless one of its responses contains an identity, because the deleted collector may
 * have been anonymous.
 */
async function restoreCollectors({ em, now }: PublicContext): Promise<void> {
  await em.transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    const { rows: deleted } = await sql<{ survey: number; collector: number }>`
      select ${sql.raw(ACROSS_SURVEYS)} counted.survey_id as survey, counted.collector_id as collector
      from response_count as counted join survey on survey.id = counted.survey_id
      left join collector on collector.id = counted.collector_id
      where counted.responses > 0 and collector.id is null
      order by counted.survey_id, counted.collector_id`.execute(db)
    for (const { survey, collector } of deleted)
      await db
        .insertInto('collector')
        .values({
          id: collector,
          survey_id: survey,
          name: `Deleted collector ${collector}`,
          live: false,
          is_default: false,
          settings: (await hasIdentities(db, survey, collector)) ? '{}' : '{"anonymous": true}',
          created_at: now,
        } as never)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    for (const id of new Set(deleted.map(({ survey }) => survey))) await invalidateSurvey(inner, id)
  })
}

/** Returns whether a response of a collector contains the identity of its respondent. */
async function hasIdentities(db: Kysely<Tables>, survey: number, collector: number): Promise<boolean> {
  const found = await db
    .selectFrom('response')
    .select('id')
    .where('survey_id', '=', survey)
    .where('collector_id', '=', collector)
    .where((eb) =>
      eb.or([
        eb('username', '!=', ''),
        eb('ip_address', '!=', ''),
        eb('invite_email', 'is not', null),
        eb('invite_code', 'is not', null),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
