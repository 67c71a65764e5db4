import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { getSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'
import { writeMissingBitmaps } from './bitmap.ts'
import { listPredicates } from './count-planner.ts'
import { countAllFromRollup, MAX_PREDICATES } from './counts.ts'
import { distinctPredicates, type Predicate } from './predicate.ts'
import { writeMissingProgress } from './progress.ts'
import { reportPredicates } from './report-predicates.ts'
import { REFRESH_AFTER_CHANGES, SEGMENT_RESPONSES } from './state.ts'

const MAX_SURVEYS_PER_RUN = 100

/**
 * Refreshes outdated rollups of surveys with at least one full segment. Counts the responses in new and changed
 * segments, counts the responses that have new predicates, and writes missing bitmaps and progress. Idempotent.
 * @returns the number of outdated rollups that were found
 */
export async function refreshRollups(context: Pick<PublicContext, 'em'>, signal?: AbortSignal): Promise<number> {
  const db = context.em.getKysely<Tables>()
  const outdated = await db
    .selectFrom('survey_feed')
    .innerJoin('survey', 'survey.id', 'survey_feed.survey_id')
    .leftJoin('response_rollup', 'response_rollup.survey_id', 'survey_feed.survey_id')
    .where('survey_feed.responses', '>=', SEGMENT_RESPONSES)
    .where(
      sql<boolean>`(response_rollup.revision is distinct from survey.revision
        or survey_feed.seq - response_rollup.seq >= ${REFRESH_AFTER_CHANGES}::integer
        or exists (
          select from response_segment as segment
          where segment.survey_id = survey.id
            and (segment.indexed_predicates < cardinality(response_rollup.predicates) or not exists (
              select from response_progress as progress
              where progress.survey_id = segment.survey_id and progress.segment_number = segment.number
                and progress.slots is not null
            ))
        ))`,
    )
    .modifyFront(sql.raw(ACROSS_SURVEYS))
    .select('survey_feed.survey_id as id')
    .limit(MAX_SURVEYS_PER_RUN)
    .execute()
  for (const { id } of outdated) {
    if (signal?.aborted) break
    const snapshot = await getSnapshot(context.em, id)
    if (!snapshot) continue
    const { revision } = snapshot
    await countAllFromRollup(context, id, predicatesOfSurvey(snapshot))
    await writeMissingBitmaps(context, id, signal)
    await writeMissingProgress(context, id, signal)
    if (signal?.aborted) break
    await db.updateTable('response_rollup').set({ revision }).where('survey_id', '=', id).execute()
  }
  return outdated.length
}

/** Returns the predicates of reports and lists. If there are too many, returns only the predicates of reports. */
function predicatesOfSurvey({ questionnaire }: SurveySnapshot): Predicate[] {
  const forReports = reportPredicates(questionnaire)
  const predicates = distinctPredicates([...forReports, ...listPredicates(questionnaire)])
  return predicates.length > MAX_PREDICATES ? forReports : predicates
}
