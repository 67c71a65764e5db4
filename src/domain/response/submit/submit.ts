import { randomKey } from '../../../lib/secrets.ts'
import type { Context } from '../../context.ts'
import { Problem, problems } from '../../problem.ts'
import { filesIn } from '../../structure/file-answer.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { submissionErrors, withoutUnchosenTexts } from '../../structure/submission-errors.ts'
import { withCalculations } from '../../structure/validate-answers.ts'
import { findSnapshot, getStaleSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { importedResponse } from './imported.ts'
import { type ParsedSubmission, parseSubmission, type SettableMeta } from './parse-submission.ts'
import { hasLimits, storeWithFiles, storeWithinLimits } from './store-within-limits.ts'
import type { Completion, NewResponse } from './submission-batcher.ts'

/** A stored response and its survey. */
export interface SubmittedResponse {
  id: number
  /** The key of the response: 40 hexadecimal digits. */
  key: string
  snapshot: SurveySnapshot
}

/** Roles that can submit responses through the API. */
const SUBMITTING_ROLES = ['Test', 'Analyze'] as const

/** Meta fields that a new response accepts. */
export const SUBMITTED_META: readonly SettableMeta[] = ['_completed', '_collector', '_language', '_key']

/**
 * Maximum number of attempts to store a submission. If the survey has changed since the validation, the next attempt
 * validates the submission again.
 */
const MAX_ATTEMPTS = 5

/**
 * Stores a response. Checks the format of each answer, but no rules such as required answers and ranges. The response
 * is incomplete unless `_completed` is set. A closed survey also accepts the response. Runs its own transaction. If the
 * survey has a response with this `_key`, nothing is stored and that response is returned.
 * @param raw answers by response key, and `_completed`, `_collector`, `_language`, `_key`; can be empty
 * @throws {Problem} `survey_not_found`, `survey_error`, `invalid_request`, `busy`
 */
export const submitResponse = (context: Context, surveyId: number, raw: Readonly<Record<string, unknown>>) =>
  submitValidated(context, surveyId, false, (snapshot) => {
    const parsed = parseSubmission(snapshot, raw, SUBMITTED_META)
    const completed = parsed.completed ?? 0
    return { parsed, completed, answers: validatedAnswers(snapshot, parsed, false, context.now) }
  })

/**
 * Stores a response to a survey of one page. If `_completed` is not set, a response with answers is complete (1), and a
 * response without answers is incomplete (0). A complete response must meet all rules of the survey; in other
 * responses, only the format of the answers is checked. Quotas and `max_responses` apply. Runs its own transaction.
 * @throws {Problem} `survey_not_found`, `survey_error`, `invalid_request`, `survey_full`, `busy`
 */
export const submitAnswers = (context: Context, surveyId: number, raw: Readonly<Record<string, unknown>>) =>
  submitValidated(context, surveyId, true, (snapshot) => {
    checkSinglePage(snapshot)
    const parsed = parseSubmission(snapshot, raw, SUBMITTED_META)
    const completed = parsed.completed ?? (Object.keys(parsed.answers).length ? 1 : 0)
    return { parsed, completed, answers: validatedAnswers(snapshot, parsed, completed === 1, context.now) }
  })

/**
 * Checks that a survey has one page.
 * @throws {Problem} `invalid_request`
 */
export function checkSinglePage({ questionnaire }: SurveySnapshot): void {
  if (questionnaire.pages.length > 1) throw problems.multiplePages()
}

/** @throws {Problem} `survey_error` naming every invalid answer and, for a complete response, every missing one */
function validatedAnswers(
  { questionnaire }: SurveySnapshot,
  parsed: ParsedSubmission,
  complete: boolean,
  now: Date,
): Answers {
  const parsedAnswers = parseAnswers(questionnaire, parsed.answers, 'strict')
  const { answers } = parsedAnswers
  const errors = submissionErrors(questionnaire, parsedAnswers, answers, complete, now)
  if (errors.length) throw problems.invalidAnswers(errors)
  return withCalculations(questionnaire, withoutUnchosenTexts(questionnaire, answers))
}

interface ValidatedSubmission {
  parsed: ParsedSubmission
  completed: Completion
  answers: Answers
}

/**
 * Validates a submission against the cached survey, which needs no query, and stores it. If the survey has changed, the
 * insert returns `stale`, and the submission is validated again. An error is thrown only if the survey is still at the
 * revision for which the submission was validated.
 */
async function submitValidated(
  context: Context,
  surveyId: number,
  enforceLimits: boolean,
  parse: (snapshot: SurveySnapshot) => ValidatedSubmission,
): Promise<SubmittedResponse> {
  const generated = randomKey()
  let snapshot = await getStaleSnapshot(context, surveyId, SUBMITTING_ROLES)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const submission = resultOrProblem(() => parse(snapshot))
    const key = submission instanceof Problem ? generated : (submission.parsed.key ?? generated)
    const id = submission instanceof Problem ? 'stale' : await store(context, snapshot, submission, key, enforceLimits)
    if (id !== 'stale') return { id, key: key.toString('hex'), snapshot }
    const current = await findSnapshot(context, surveyId, SUBMITTING_ROLES)
    if (submission instanceof Problem && current.revision === snapshot.revision) throw submission
    snapshot = current
  }
  throw problems.busy()
}

function resultOrProblem<Result>(parse: () => Result): Result | Problem {
  try {
    return parse()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function store(
  context: Context,
  snapshot: SurveySnapshot,
  submission: ValidatedSubmission,
  key: Buffer,
  enforceLimits: boolean,
) {
  const { parsed, completed, answers } = submission
  const response: NewResponse = importedResponse(snapshot, answers, {
    key,
    completed,
    createdAt: context.now,
    collectorId: parsed.collectorId,
    language: parsed.language,
    traceparent: context.services.traceparent(),
  })
  if (completed === 1 && hasLimits(snapshot, response.collectorId))
    return storeWithinLimits(context, snapshot, response, enforceLimits, answers)
  return filesIn(snapshot.questionnaire, answers).length > 0
    ? storeWithFiles(context, snapshot, response, answers)
    : context.services.submissionBatcher.submit(response, context.isAbandoned)
}
