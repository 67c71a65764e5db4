import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { withoutRemovedChoices } from '../../structure/stored.ts'
import { submissionErrors } from '../../structure/submission-errors.ts'
import { dropHidden } from '../../structure/validate-answers.ts'
import { isAnonymousCollector } from '../../survey/anonymity.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { type ParsedSubmission, parseSubmission, withoutReadOnly } from '../submit/parse-submission.ts'
import { type Change, type Stored, saveAnswers } from '../submit/save.ts'
import type { Completion } from '../submit/submission-batcher.ts'
import { checkSinglePage, SUBMITTED_META, type Submitted } from '../submit/submit.ts'

/**
 * Merges answers into a response: an empty answer removes the stored one, an absent one keeps it. Answers are validated one
 * by one, not for completeness. Call it inside a transaction.
 * @param raw answers by response key, and `_completed`, `_collector`, `_language`; read-only meta fields are ignored
 * @throws {Problem} `survey_not_found`, `response_not_found`, `survey_error`, `invalid_request`
 */
export async function updateResponse(
  context: Context,
  surveyId: number,
  responseId: number,
  raw: Readonly<Record<string, unknown>>,
): Promise<void> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const parsed = parseSubmission(snapshot, withoutReadOnly(raw), ['_completed', '_collector', '_language'])
  const merge = mergeWith(snapshot, parsed)
  await saveAnswers(context, snapshot, { id: responseId }, (stored) =>
    merge(stored, parsed.completed ?? stored.completed, false),
  )
}

/**
 * Merges answers to a survey of one page into the response with the given `_key` and validates the result against all
 * rules. Idempotent. Runs its own transaction.
 * @throws {Problem} as `submitAnswers`, and `response_not_found` for a key of no response
 */
export function resubmitAnswers(
  context: Context,
  surveyId: number,
  raw: Readonly<Record<string, unknown>>,
): Promise<Submitted> {
  return context.em.transactional(async (em) => {
    const snapshot = await findSnapshot({ ...context, em }, surveyId, 'Analyze')
    checkSinglePage(snapshot)
    const parsed = parseSubmission(snapshot, raw, SUBMITTED_META)
    const { key, completed = 1 } = parsed
    if (!key) throw problems.invalidField('_key', 'invalid_metadata', {}, 'must be the key of a response')
    const merge = mergeWith(snapshot, parsed)
    const saved = await saveAnswers({ ...context, em }, snapshot, { key }, (stored) => ({
      ...merge(stored, completed, completed === 1),
      limited: true,
    }))
    if (saved.limitReached === 'full') throw problems.surveyFull()
    return { id: saved.id, key: key.toString('hex'), snapshot }
  })
}

/**
 * Checks that an anonymous response is not moved to a collector that identifies respondents.
 * @param field name of the request member in errors
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
 * Returns a function that computes the changes of a stored response. It removes answers of hidden questions unless the
 * response is incomplete, and throws `survey_error` for invalid answers and, if `complete`, for missing ones.
 */
function mergeWith(snapshot: SurveySnapshot, parsed: ParsedSubmission) {
  const { questionnaire } = snapshot
  const read = parseAnswers(questionnaire, parsed.answers, 'strict')
  const { answers, cleared } = read
  const { collectorId, language } = parsed
  const meta = { collectorId, ...(language !== undefined && { language }) }
  return (stored: Stored, completed: Completion, complete: boolean): Change => {
    checkMove(snapshot, stored.collectorId, collectorId, '_collector')
    const change = { ...meta, completed, answers: changedIn(answers, stored.answers), cleared }
    const whole = merged(stored.answers, change)
    const errors = submissionErrors(questionnaire, read, whole, complete)
    if (errors.length) throw problems.invalidAnswers(errors)
    if (completed === 0) return change
    const kept = dropHidden(questionnaire, whole)
    const hidden = Object.keys(whole).filter((key) => !Object.hasOwn(kept, key))
    const shown = Object.entries(change.answers).filter(([key]) => Object.hasOwn(kept, key))
    return { ...change, answers: Object.fromEntries(shown), cleared: [...cleared, ...hidden] }
  }
}

/**
 * Returns the answers that differ from the shown form of the stored ones. Removed choices are not shown, so they are kept
 * where an answer is sent back unchanged.
 */
function changedIn(answers: Answers, stored: Answers): Answers {
  const isShown = (key: string) => {
    const before = Object.hasOwn(stored, key) ? stored[key]! : undefined
    const shown = before === undefined ? undefined : withoutRemovedChoices(before)
    return shown !== before && JSON.stringify(shown) === JSON.stringify(answers[key])
  }
  const kept = Object.keys(answers).filter(isShown)
  return kept.length === 0
    ? answers
    : Object.fromEntries(Object.entries(answers).filter(([key]) => !kept.includes(key)))
}

function merged(stored: Answers, { answers = {}, cleared = [] }: Change): Answers {
  const whole = Object.assign(Object.create(null), stored)
  for (const key of cleared) delete whole[key]
  return Object.assign(whole, answers)
}

/** Changes of a response besides its answers. */
export interface Amendment {
  completed?: Completion | undefined
  collectorId?: number | undefined
}

/**
 * Sets the completion or the collector of a response; limits do not apply. Call it inside a transaction.
 * @throws {Problem} `survey_not_found`, `response_not_found`, `invalid_request`
 */
export async function amendResponse(
  context: Context,
  surveyId: number,
  responseId: number,
  { completed, collectorId }: Amendment,
): Promise<void> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  if (completed === undefined && collectorId === undefined)
    throw problems.invalidField('completed', 'missing_parameter', {}, 'or collector is required')
  if (collectorId !== undefined && !snapshot.collectors.has(collectorId))
    throw problems.invalidField('collector', 'unknown_collector')
  await saveAnswers(context, snapshot, { id: responseId }, (stored) => {
    checkMove(snapshot, stored.collectorId, collectorId, 'collector')
    return { completed, collectorId }
  })
}
