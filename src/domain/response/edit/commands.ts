import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { withoutRemovedChoices } from '../../structure/stored.ts'
import { submissionErrors, withDerivedAnswers, withoutUnchosenTexts } from '../../structure/validate-answers.ts'
import { isAnonymousCollector } from '../../survey/anonymity.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Completion } from '../submit/new-response.ts'
import { type ResponseRecord, type ResponseUpdate, saveAnswers } from '../submit/save.ts'
import {
  checkSinglePage,
  type ParsedSubmission,
  parseSubmission,
  SUBMITTED_META,
  type SubmittedResponse,
  withoutReadOnly,
} from '../submit/submit.ts'
import { recordEdit } from './history.ts'

/**
 * Merges answers into a response. An empty answer removes the stored one; an absent answer keeps it. Checks the format
 * of each answer, but no rules such as required answers and ranges. Call it in a transaction.
 * @param raw answers by response key, and `_completed`, `_collector`, `_language`; read-only meta fields are ignored
 * @param reason why, for the history of the response
 * @throws {Problem} `survey_not_found`, `response_not_found`, `survey_error`, `invalid_request`
 */
export async function updateResponse(
  context: Context,
  surveyId: number,
  responseId: number,
  raw: Readonly<Record<string, unknown>>,
  reason?: string,
): Promise<void> {
  const snapshot = await findSnapshot(context, surveyId, 'Correct')
  const parsed = parseSubmission(snapshot, withoutReadOnly(raw), ['_completed', '_collector', '_language'])
  const merge = mergeWith(snapshot, parsed, context.now)
  await saveAnswers(context, snapshot, { id: responseId }, async (stored) => {
    const update = merge(stored, parsed.completed ?? stored.completed, false)
    await recordEdit(context, snapshot, stored, update, reason)
    return update
  })
}

/**
 * Merges answers into the response with the given `_key`. If `_completed` is 1 or absent, the merged response must meet
 * all rules of the survey; otherwise, only the format of the answers is checked. The survey must have one page.
 * Idempotent. Runs its own transaction.
 * @throws {Problem} as `submitAnswers`, and `response_not_found` if no response has this key
 */
export function resubmitAnswers(
  context: Context,
  surveyId: number,
  raw: Readonly<Record<string, unknown>>,
): Promise<SubmittedResponse> {
  return context.em.transactional(async (em) => {
    const snapshot = await findSnapshot({ ...context, em }, surveyId, 'Correct')
    checkSinglePage(snapshot)
    const parsed = parseSubmission(snapshot, raw, SUBMITTED_META)
    const { key, completed = 1 } = parsed
    if (!key) throw problems.invalidField('_key', 'invalid_metadata', {}, 'must be the key of a response')
    const merge = mergeWith(snapshot, parsed, context.now)
    const saved = await saveAnswers({ ...context, em }, snapshot, { key }, async (stored) => {
      const update = { ...merge(stored, completed, completed === 1), enforceLimits: true }
      await recordEdit({ ...context, em }, snapshot, stored, update)
      return update
    })
    if (saved.limitReached === 'full') throw problems.surveyFull()
    return { id: saved.id, key: key.toString('hex'), snapshot }
  })
}

/**
 * Checks that a response of an anonymous collector is moved only to another anonymous collector.
 * @param field name of the field in the request body, for errors
 * @throws {Problem} `invalid_request`
 */
function checkMove(snapshot: SurveySnapshot, from: number, to: number | undefined, field: string): void {
  if (to !== undefined && to !== from && isAnonymousCollector(snapshot, from) && !isAnonymousCollector(snapshot, to))
    throw problems.invalidField(
      field,
      'anonymity_locked',
      {},
      'must be an anonymous collector, because the response is anonymous',
    )
}

/**
 * Returns a function that merges a submission into a stored response. It throws `survey_error` for invalid answers and, if `complete`, for missing
 * answers.
 */
function mergeWith(snapshot: SurveySnapshot, parsed: ParsedSubmission, now: Date) {
  const { questionnaire } = snapshot
  const parsedAnswers = parseAnswers(questionnaire, parsed.answers, 'strict')
  const { answers, cleared } = parsedAnswers
  const { collectorId, language } = parsed
  const meta = { collectorId, asSent: true, ...(language !== undefined && { language }) }
  return (stored: ResponseRecord, completed: Completion, complete: boolean): ResponseUpdate => {
    checkMove(snapshot, stored.collectorId, collectorId, '_collector')
    const change = { ...meta, completed, answers: changedAnswers(answers, stored.answers), cleared }
    const merged = mergeAnswers(stored.answers, change)
    const errors = submissionErrors(questionnaire, parsedAnswers, merged, complete, now)
    if (errors.length) throw problems.invalidAnswers(errors)
    const calculated = withDerivedAnswers(questionnaire, withoutUnchosenTexts(questionnaire, merged))
    if (calculated === merged) return change
    const removedKeys = Object.keys(merged).filter((key) => !Object.hasOwn(calculated, key))
    // Calculations can have values that neither the request nor the stored response has.
    const changes = Object.entries(calculated).filter(
      ([key, value]) => Object.hasOwn(change.answers, key) || value !== merged[key],
    )
    return { ...change, answers: Object.fromEntries(changes), cleared: [...cleared, ...removedKeys] }
  }
}

/**
 * Returns the answers of a request except those that lack only choices of the stored answer that were removed from the
 * survey. Clients get answers without these choices. If a client sends such an answer back unchanged, the stored answer
 * keeps the removed choices.
 */
function changedAnswers(answers: Answers, stored: Answers): Answers {
  const isUnchanged = (key: string) => {
    const before = Object.hasOwn(stored, key) ? stored[key]! : undefined
    const visible = before === undefined ? undefined : withoutRemovedChoices(before)
    return visible !== before && JSON.stringify(visible) === JSON.stringify(answers[key])
  }
  return Object.fromEntries(Object.entries(answers).filter(([key]) => !isUnchanged(key)))
}

function mergeAnswers(stored: Answers, { answers = {}, cleared = [] }: ResponseUpdate): Answers {
  const merged = Object.assign(Object.create(null), stored)
  for (const key of cleared) delete merged[key]
  return Object.assign(merged, answers)
}

/** Changes to a response other than its answers. */
export interface ResponseMetaUpdate {
  completed?: Completion | undefined
  collectorId?: number | undefined
}

/**
 * Sets the completion or the collector of a response. Quotas and `max_responses` do not apply. Call it in a
 * transaction.
 * @throws {Problem} `survey_not_found`, `response_not_found`, `invalid_request`
 */
export async function updateResponseMeta(
  context: Context,
  surveyId: number,
  responseId: number,
  { completed, collectorId }: ResponseMetaUpdate,
): Promise<void> {
  const snapshot = await findSnapshot(context, surveyId, 'Correct')
  if (completed === undefined && collectorId === undefined)
    throw problems.invalidField('completed', 'missing_parameter', {}, 'is required if collector is absent')
  if (collectorId !== undefined && !snapshot.collectors.has(collectorId))
    throw problems.invalidField('collector', 'unknown_collector')
  await saveAnswers(context, snapshot, { id: responseId }, async (stored) => {
    checkMove(snapshot, stored.collectorId, collectorId, 'collector')
    await recordEdit(context, snapshot, stored, { completed, collectorId })
    return { completed, collectorId }
  })
}
