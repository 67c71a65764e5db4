import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import { attachFiles } from '../../file/attach.ts'
import { problems } from '../../problem.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { lockFeed } from '../../survey/feed.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { storeBatch } from './batch.ts'
import { findResponseRecord, saveAnswers } from './save.ts'
import type { NewResponse } from './submission-batcher.ts'

/** Returns whether quotas or `max_responses` apply to complete responses of a collector. */
export function hasLimits({ questionnaire, settings, collectors }: SurveySnapshot, collectorId: number): boolean {
  const ofCollector = collectors.get(collectorId)?.settings.max_responses ?? null
  return settings.max_responses !== null || ofCollector !== null || questionnaire.quotas.length > 0
}

/**
 * Stores a complete response of a survey with quotas or `max_responses`. The feed is locked, so that a limit is not
 * exceeded if responses are stored at the same time. A response whose key is already stored is not stored again. If a
 * quota is full, the response gets the completion that the quota defines.
 * @param answers the answers of the response, with positions of choices instead of stable numbers (structure/stored.ts)
 * @param enforceLimits false: the response is stored and counted even if a limit is reached
 * @returns the id, or `stale` as `SubmissionBatcher.submit` does
 * @throws {Problem} `survey_full`; then nothing is stored
 */
export function storeWithinLimits(
  context: Context,
  snapshot: SurveySnapshot,
  response: NewResponse,
  enforceLimits: boolean,
  answers: Answers,
): Promise<number | 'stale'> {
  return context.em.transactional(async (em) => {
    const db = em.getKysely<Tables>()
    await lockFeed(db, snapshot.id)
    const repeated = await findResponseRecord(db, snapshot, { key: response.key }, false)
    if (repeated) return repeated.id
    const [id] = await storeBatch(db, [{ ...response, completed: 0 }])
    if (id === undefined || id === 'stale') return 'stale'
    await attachNew(db, snapshot, response, id, answers)
    const { completionTime } = response
    const saved = await saveAnswers(
      { ...context, em },
      snapshot,
      { id },
      { completed: 1, asSent: true, enforceLimits, completionTime },
    )
    if (saved.limitReached === 'full') throw problems.surveyFull()
    return id
  })
}

/**
 * Stores a response whose answers contain files. A response whose key is already stored is not stored again.
 * @param answers the answers of the response, with positions of choices instead of stable numbers (structure/stored.ts)
 * @returns the id, or `stale` as `SubmissionBatcher.submit` does
 * @throws {Problem} `survey_error` for a file that cannot be used; then nothing is stored
 */
export function storeWithFiles(
  { em }: Context,
  snapshot: SurveySnapshot,
  response: NewResponse,
  answers: Answers,
): Promise<number | 'stale'> {
  return em.transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    await lockFeed(db, snapshot.id)
    const repeated = await findResponseRecord(db, snapshot, { key: response.key }, false)
    if (repeated) return repeated.id
    const [id] = await storeBatch(db, [response])
    if (id === undefined || id === 'stale') return 'stale'
    await attachNew(db, snapshot, response, id, answers)
    return id
  })
}

const attachNew = (
  db: Kysely<Tables>,
  { id: surveyId, questionnaire }: SurveySnapshot,
  { key }: NewResponse,
  id: number,
  answers: Answers,
): Promise<void> => attachFiles(db, questionnaire, { surveyId, id, key }, {}, answers)
