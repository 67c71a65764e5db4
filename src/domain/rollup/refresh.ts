import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { freshSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { writeBitmaps } from './bitmap.ts'
import { listPredicates } from './count-planner.ts'
import { MOST_SLOTS, sumPredicates } from './counts.ts'
import { distinct, type Predicate } from './predicate.ts'
import { reportPredicates } from './report-predicates.ts'
import { BEHIND, CHUNK } from './state.ts'

/** Surveys brought up to date at most, each time. */
const AT_ONCE = 100

/**
 * Counts ahead what happened to surveys of a chunk or more since their sums were last kept, and what has come to be
 * asked, so that whoever opens a report or a list next waits for little. Doing it again finds nothing to do.
 * @returns how many surveys were brought up to date
 */
export async function refreshRollups(context: Pick<PublicContext, 'em'>, signal?: AbortSignal): Promise<number> {
  const db = context.em.getKysely<Tables>()
  const behind = await db
    .selectFrom('survey_feed')
    .innerJoin('survey', 'survey.id', 'survey_feed.survey_id')
    .leftJoin('response_summary', 'response_summary.survey_id', 'survey_feed.survey_id')
    .where('survey_feed.responses', '>=', CHUNK)
    .where(
      sql<boolean>`(response_summary.revision is distinct from survey.revision
        or survey_feed.seq - response_summary.seq >= ${BEHIND}::integer
        or exists (
          select from response_chunk as chunk
          where chunk.survey_id = survey.id and chunk.marked < cardinality(response_summary.slots)
        ))`,
    )
    .select('survey_feed.survey_id as id')
    .limit(AT_ONCE)
    .execute()
  for (const { id } of behind) {
    if (signal?.aborted) break
    const snapshot = await freshSnapshot(context.em, id)
    if (!snapshot) continue
    const { revision } = snapshot
    await sumPredicates(context, id, slotsOf(snapshot))
    await writeBitmaps(context, id, signal)
    if (signal?.aborted) break
    await db.updateTable('response_summary').set({ revision }).where('survey_id', '=', id).execute()
  }
  return behind.length
}

/** What reports count and what lists do; where that is too much, lists have to look at the responses. */
function slotsOf({ questionnaire }: SurveySnapshot): Predicate[] {
  const forReports = reportPredicates(questionnaire)
  const predicates = distinct([...forReports, ...listPredicates(questionnaire)])
  return predicates.length > MOST_SLOTS ? forReports : predicates
}
