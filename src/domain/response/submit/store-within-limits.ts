import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { lockFeed } from '../../survey/feed.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { storeBatch } from './batch.ts'
import { saveAnswers } from './save.ts'
import type { NewResponse } from './submission-batcher.ts'

/** Returns whether complete responses of a collector count against quotas or `max_responses`. */
export function isLimited({ questionnaire, settings, collectors }: SurveySnapshot, collectorId: number): boolean {
  const ofCollector = collectors.get(collectorId)?.settings.max_responses ?? null
  return settings.max_responses !== null || ofCollector !== null || questionnaire.quotas.length > 0
}

/**
 * Stores a complete response of a survey with quotas or `max_responses`, under the lock of the feed, so that concurrent
 * completions cannot exceed a limit. Over a quota the response gets the completion that the quota defines.
 * @param limited false: the response is stored and counted even beyond the limits
 * @returns the id, or `stale` as `SubmissionBatcher.submit` does
 * @throws {Problem} `survey_full`; nothing is stored then
 */
export function storeWithinLimits(
  context: Context,
  snapshot: SurveySnapshot,
  incoming: NewResponse,
  limited: boolean,
): Promise<number | 'stale'> {
  return context.em.transactional(async (em) => {
    const db = em.getKysely<Tables>()
    await lockFeed(db, snapshot.id)
    const [id] = await storeBatch(db, [{ ...incoming, completed: 0 }])
    if (id === undefined || id === 'stale') return 'stale'
    const { completionTime } = incoming
    const saved = await saveAnswers({ ...context, em }, snapshot, { id }, { completed: 1, limited, completionTime })
    if (saved.limitReached === 'full') throw problems.surveyFull()
    return id
  })
}
