import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { freshSnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { reportSlots } from './figures.ts'
import { CHUNK } from './summary.ts'
import { sumSlots } from './sums.ts'

/** Surveys brought up to date at most, each time. */
const AT_ONCE = 100

/**
 * Counts ahead what came to surveys since their sums were last kept, where it is a chunk or more, so that whoever opens
 * a report next waits for less than one chunk. Doing it again finds nothing to do.
 * @returns how many surveys were brought up to date
 */
export async function sealChunks(context: PublicContext, signal?: AbortSignal): Promise<number> {
  const behind = await context.em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .innerJoin('survey', 'survey.id', 'survey_feed.survey_id')
    .leftJoin('response_summary', 'response_summary.survey_id', 'survey_feed.survey_id')
    .where('survey_feed.responses', '>=', CHUNK)
    .where(sql<boolean>`(response_summary.seq is null or survey_feed.seq - response_summary.seq >= ${CHUNK}::integer)`)
    .select('survey_feed.survey_id as id')
    .limit(AT_ONCE)
    .execute()
  for (const { id } of behind) {
    if (signal?.aborted) break
    const snapshot = await freshSnapshot(context.em, id)
    if (snapshot) await sumSlots(context, id, reportSlots(snapshot.questionnaire))
  }
  return behind.length
}
