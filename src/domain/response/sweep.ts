import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import { invalidateSurvey } from '../survey/invalidate.ts'
import type { Tables } from '../tables.ts'

/** Tables without a foreign key to the survey, each with the second column of its primary key. */
const UNLINKED_TABLES = {
  response: 'id',
  response_change: 'seq',
  response_count: 'collector_id',
  survey_feed: 'survey_id',
} as const

/**
 * Deletes rows of deleted surveys and restores deleted collectors that have responses. Earlier versions left such rows
 * and responses behind if responses were submitted during the deletion.
 */
export async function sweepOrphans(context: PublicContext, signal: AbortSignal): Promise<void> {
  const db = context.em.getKysely<Tables>()
  for (const table of Object.keys(UNLINKED_TABLES) as (keyof typeof UNLINKED_TABLES)[])
    for (const surveyId of await deletedSurveysIn(db, table)) {
      if (signal.aborted) return
      await deleteInBatches(signal, () => deleteBatch(db, table, surveyId))
    }
  await restoreCollectors(context)
}

/** Finds surveys without a row in `survey`, with one index lookup per survey instead of one per row. */
async function deletedSurveysIn(db: Kysely<Tables>, table: keyof typeof UNLINKED_TABLES): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive present as (
      (select survey_id as id from ${sql.table(table)} order by survey_id limit 1)
      union all
      select (select survey_id from ${sql.table(table)} where survey_id > present.id order by survey_id limit 1)
      from present where present.id is not null
    )
    select id from present where id is not null and not exists (select 1 from survey where survey.id = present.id)
  `.execute(db)
  return rows.map(({ id }) => id)
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
    const { rows } = await sql<{ id: number }>`
      insert into collector (id, survey_id, name, live, is_default, settings, created_at)
      select deleted.collector_id, deleted.survey_id, 'Deleted collector ' || deleted.collector_id, false, false,
        case when exists (
          select 1 from response where response.survey_id = deleted.survey_id and response.collector_id = deleted.collector_id
          and (username <> '' or ip_address <> '' or invite_email is not null or invite_code is not null)
        ) then '{}'::jsonb else '{"anonymous": true}'::jsonb end, ${now}
      from response_count deleted join survey on survey.id = deleted.survey_id
      where deleted.responses > 0 and not exists (select 1 from collector where collector.id = deleted.collector_id)
      on conflict (id) do nothing
      returning survey_id as id
    `.execute(db)
    for (const id of [...new Set(rows.map((row) => row.id))].sort((a, b) => a - b)) await invalidateSurvey(inner, id)
  })
}
