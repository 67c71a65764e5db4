import { randomKey } from '../../../lib/token.ts'
import type { Context } from '../../context.ts'
import { Problem, problems } from '../../problem.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { submissionErrors } from '../../structure/submission-errors.ts'
import { dropHidden } from '../../structure/validate-answers.ts'
import { findSnapshot, getStaleSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { importedResponse } from './imported.ts'
import { type ParsedSubmission, parseSubmission, type SettableMeta } from './parse-submission.ts'
import { isLimited, storeWithinLimits } from './store-within-limits.ts'
import type { Completion, NewResponse } from './submission-batcher.ts'

/** A stored response and its survey. */
export interface Submitted {
  id: number
  /** 40 hexadecimal digits. */
  key: string
  snapshot: SurveySnapshot
}

/** Roles that may submit responses through the API. */
const SUBMITTING_ROLES = ['Test', 'Analyze'] as const

/** Validations of a submission while its survey keeps changing; then the client gets `busy`. */
const MAX_ATTEMPTS = 5

/**
 * Stores a response: answers are validated one by one, not for completeness, and the response is incomplete unless
 * `_completed` is given. Also accepted by a closed survey, because its owner submits it. Runs its own transaction.
 * @param raw answers by response key, and `_completed`, `_collector`, `_language`; an empty object stores a response without answers
 * @throws {Problem} `survey_not_found`, `survey_error`, `invalid_request`, `busy`
 */
export const submitResponse = (context: Context, surveyId: number, raw: Readonly<Record<string, unknown>>) =>
  submitValidated(context, surveyId, false, (snapshot) => {
    const parsed = parseSubmission(snapshot, raw, ['_completed', '_collector', '_language'])
    const completed = parsed.completed ?? 0
    return { parsed, completed, answers: acceptAnswers(snapshot, parsed, completed, false) }
  })

/** Meta fields that {@link submitAnswers} accepts. */
export const SUBMITTED_META: readonly SettableMeta[] = ['_completed', '_collector', '_language', '_key']

/**
 * Stores a complete response to a survey of one page, validated against all rules. Without answers it stores an
 * incomplete response; with `_completed` 0 or 2 completeness is not required. Quotas and `max_responses` apply. Runs its
 * own transaction.
 * @throws {Problem} `survey_not_found`, `survey_error`, `invalid_request`, `survey_full`, `busy`
 */
export const submitAnswers = (context: Context, surveyId: number, raw: Readonly<Record<string, unknown>>) =>
  submitValidated(context, surveyId, true, (snapshot) => {
    checkSinglePage(snapshot)
    const parsed = parseSubmission(snapshot, raw, SUBMITTED_META)
    const completed = parsed.completed ?? (Object.keys(parsed.answers).length ? 1 : 0)
    return { parsed, completed, answers: acceptAnswers(snapshot, parsed, completed, completed === 1) }
  })

/**
 * Checks that a survey has one page.
 * @throws {Problem} `invalid_request`
 */
export function checkSinglePage({ questionnaire }: SurveySnapshot): void {
  if (questionnaire.pages.length > 1) throw problems.multiplePages()
}

/** @throws {Problem} `survey_error` naming every answer that is wrong or, in a complete response, missing */
function acceptAnswers(
  { questionnaire }: SurveySnapshot,
  parsed: ParsedSubmission,
  completed: Completion,
  complete: boolean,
): Answers {
  const read = parseAnswers(questionnaire, parsed.answers, 'strict')
  const errors = submissionErrors(questionnaire, read, read.answers, complete)
  if (errors.length) throw problems.invalidAnswers(errors)
  return completed === 0 ? read.answers : dropHidden(questionnaire, read.answers)
}

interface Draft {
  parsed: ParsedSubmission
  completed: Completion
  answers: Answers
}

/**
 * Validates a submission against the cached survey, which costs no query, and stores it. If the survey has changed, the
 * insert returns `stale` and the submission is validated again. An error is returned only from the present survey.
 */
async function submitValidated(
  context: Context,
  surveyId: number,
  limited: boolean,
  read: (snapshot: SurveySnapshot) => Draft,
): Promise<Submitted> {
  const key = randomKey()
  let snapshot = await getStaleSnapshot(context, surveyId, SUBMITTING_ROLES)
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const draft = problemOr(() => read(snapshot))
    const id = draft instanceof Problem ? 'stale' : await store(context, snapshot, draft, key, limited)
    if (id !== 'stale') return { id, key: key.toString('hex'), snapshot }
    const fresh = await findSnapshot(context, surveyId, SUBMITTING_ROLES)
    if (draft instanceof Problem && fresh.revision === snapshot.revision) throw draft
    snapshot = fresh
  }
  throw problems.busy()
}

function problemOr<T>(read: () => T): T | Problem {
  try {
    return read()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function store(context: Context, snapshot: SurveySnapshot, draft: Draft, key: Buffer, limited: boolean) {
  const { parsed, completed, answers } = draft
  const incoming: NewResponse = importedResponse(snapshot, answers, {
    key,
    completed,
    createdAt: context.now,
    collectorId: parsed.collectorId,
    language: parsed.language,
  })
  return completed === 1 && isLimited(snapshot, incoming.collectorId)
    ? storeWithinLimits(context, snapshot, incoming, limited)
    : context.services.submissionBatcher.submit(incoming, context.isAbandoned)
}
