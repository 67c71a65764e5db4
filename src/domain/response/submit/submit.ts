import { randomKey } from '../../../lib/token.ts'
import type { Context } from '../../context.ts'
import { Problem, problems } from '../../problem.ts'
import { readAnswers } from '../../structure/answers.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { submissionErrors } from '../../structure/submission-errors.ts'
import { dropHidden } from '../../structure/validate-answers.ts'
import { findSnapshot, getStaleSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { importedResponse } from './imported.ts'
import { type GivenName, type ParsedSubmission, parseSubmission } from './parse-submission.ts'
import { isLimited, storeWithinLimits } from './store-within-limits.ts'
import type { Completion, NewResponse } from './submission-batcher.ts'

/** A response that was handed in, and the survey it belongs to. */
export interface Submitted {
  id: number
  /** 40 hexadecimal digits. */
  key: string
  snapshot: SurveySnapshot
}

/** Who may hand responses in: those who try a survey out, and those who work with what comes in. */
const HANDS_IN = ['Test', 'Analyze'] as const

/** How often a submission is checked again because the survey changed under it, before its sender is told to try later. */
const MOST_TRIES = 5

/**
 * Takes a response in as it is given: answers are checked for shape, not for completeness, and it is incomplete unless
 * `_completed` says otherwise. A closed survey takes it too: its owner hands it in.
 * Writes and commits by itself.
 * @param raw answers by response key, and `_completed`, `_collector`, `_language`; nothing makes a blank response
 * @throws {Problem} `survey_not_found`, `survey_error`, `invalid_request`, `busy`
 */
export const submitResponse = (context: Context, surveyId: number, raw: Readonly<Record<string, unknown>>) =>
  handIn(context, surveyId, false, (snapshot) => {
    const given = parseSubmission(snapshot, raw, ['_completed', '_collector', '_language'])
    const completed = given.completed ?? 0
    return { given, completed, answers: acceptAnswers(snapshot, given, completed, false) }
  })

/** Facts that {@link submitAnswers} takes beside answers. */
export const SUBMITTED_FACTS: readonly GivenName[] = ['_completed', '_collector', '_language', '_key']

/**
 * Takes in the answers to a survey of one page and holds them against its rules, so that the response is complete.
 * Without any answer it makes a blank, incomplete response. `_completed` 0 or 2 says that it is not meant to be
 * complete: then only its shape is checked. Quotas and `max_responses` hold. Writes and commits by itself.
 * @throws {Problem} `survey_not_found`, `survey_error`, `invalid_request`, `survey_full`, `busy`
 */
export const submitAnswers = (context: Context, surveyId: number, raw: Readonly<Record<string, unknown>>) =>
  handIn(context, surveyId, true, (snapshot) => {
    checkSinglePage(snapshot)
    const given = parseSubmission(snapshot, raw, SUBMITTED_FACTS)
    const completed = given.completed ?? (Object.keys(given.answers).length ? 1 : 0)
    return { given, completed, answers: acceptAnswers(snapshot, given, completed, completed === 1) }
  })

/** @throws {Problem} `invalid_request` for a survey of several pages */
export function checkSinglePage({ questionnaire }: SurveySnapshot): void {
  if (questionnaire.pages.length > 1) throw problems.multiplePages()
}

/** @throws {Problem} `survey_error` naming every answer that is wrong or, in a complete response, missing */
function acceptAnswers(
  { questionnaire }: SurveySnapshot,
  given: ParsedSubmission,
  completed: Completion,
  complete: boolean,
): Answers {
  const read = readAnswers(questionnaire, given.answers, 'strict')
  const errors = submissionErrors(questionnaire, read, read.answers, complete)
  if (errors.length) throw problems.invalidAnswers(errors)
  return completed === 0 ? read.answers : dropHidden(questionnaire, read.answers)
}

interface Draft {
  given: ParsedSubmission
  completed: Completion
  answers: Answers
}

/**
 * Checks a submission against the survey as last seen, which costs no query, and stores it. When the survey has
 * changed since, the store says so and everything is checked again; a refusal too is only given by the survey as it is.
 */
async function handIn(
  context: Context,
  surveyId: number,
  limited: boolean,
  read: (snapshot: SurveySnapshot) => Draft,
): Promise<Submitted> {
  const key = randomKey()
  let snapshot = await getStaleSnapshot(context, surveyId, HANDS_IN)
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const draft = attempt(() => read(snapshot))
    const id = draft instanceof Problem ? 'stale' : await store(context, snapshot, draft, key, limited)
    if (id !== 'stale') return { id, key: key.toString('hex'), snapshot }
    const fresh = await findSnapshot(context, surveyId, HANDS_IN)
    if (draft instanceof Problem && fresh.revision === snapshot.revision) throw draft
    snapshot = fresh
  }
  throw problems.busy()
}

function attempt<T>(read: () => T): T | Problem {
  try {
    return read()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function store(context: Context, snapshot: SurveySnapshot, draft: Draft, key: Buffer, limited: boolean) {
  const { given, completed, answers } = draft
  const incoming: NewResponse = importedResponse(snapshot, answers, {
    key,
    completed,
    createdAt: context.now,
    collectorId: given.collectorId,
    language: given.language,
  })
  return completed === 1 && isLimited(snapshot, incoming.collectorId)
    ? storeWithinLimits(context, snapshot, incoming, limited)
    : context.services.submissionBatcher.submit(incoming, context.isAbandoned)
}
