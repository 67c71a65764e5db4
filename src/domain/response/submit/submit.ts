import type { Kysely } from 'kysely'
import { currentTraceparent } from '../../../lib/tracing.ts'
import type { Context } from '../../context.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { attachFiles } from '../../file/queries.ts'
import { authorize } from '../../group/access.ts'
import { Problem, problems } from '../../problem.ts'
import { drawKey, withGroupsOnPath } from '../../structure/assignment.ts'
import { filesIn } from '../../structure/file-answer.ts'
import { metaFieldByKey } from '../../structure/meta-fields.ts'
import type { Reading } from '../../structure/parse-answer.ts'
import { parseAnswers } from '../../structure/parse-answers.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import { targetOf } from '../../structure/target.ts'
import { submissionErrors, withDerivedAnswers, withoutUnchosenTexts } from '../../structure/validate-answers.ts'
import { lockFeed } from '../../survey/feed.ts'
import { findSnapshot, getStaleSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { storeBatch } from './batch.ts'
import { importedResponse } from './imported.ts'
import type { Completion, NewResponse } from './new-response.ts'
import { findResponseRecord, saveAnswers } from './save.ts'

/** A stored response and its survey. */
export interface SubmittedResponse {
  id: number
  /** The key of the response: 40 hexadecimal digits. */
  key: string
  snapshot: SurveySnapshot
}

/** Roles that can submit responses through the API. */
const SUBMITTING_ROLES = ['Test', 'Correct'] as const

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
    return { parsed, completed, ...validatedAnswers(snapshot, parsed, false, context.now) }
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
    return { parsed, completed, ...validatedAnswers(snapshot, parsed, completed === 1, context.now) }
  })

/** The answers of a paper sheet that was returned, as somebody types them in. */
export interface Sheet {
  /** By response key: codes of choices (structure/choices.ts), numbers in the notation of the language, and texts. */
  answers: Readonly<Record<string, unknown>>
  collector: number
  /** The language of the sheet. */
  language: string
  /** 40 hexadecimal digits: a sheet that is sent twice is stored once. */
  key: string
}

/**
 * Stores the answers of a paper sheet as a complete response (role Correct). A closed or full survey also accepts it.
 * Runs its own transaction.
 * @param asFilledIn whether to store answers that break rules of the survey, because the sheet says so
 * @throws {Problem} `survey_not_found`, `forbidden`, `survey_error`, `invalid_request`, `busy`
 */
export async function submitSheet(
  context: Context,
  surveyId: number,
  { answers, collector, language, key }: Sheet,
  asFilledIn: boolean,
): Promise<SubmittedResponse> {
  await authorize(context, surveyId, 'Correct')
  const raw = { ...answers, _collector: String(collector), _language: language, _key: key }
  return submitValidated(context, surveyId, false, (snapshot) => {
    const parsed = parseSubmission(snapshot, raw, SUBMITTED_META)
    return {
      parsed,
      completed: 1,
      ...validatedAnswers(snapshot, parsed, !asFilledIn, context.now, readingOf(language)),
    }
  })
}

/** Reports whether answers of a sheet can be stored as they were filled in: each of them can be read. */
export const isReadable = ({ questionnaire: q }: SurveySnapshot, { answers, language }: Sheet): boolean => {
  const parsed = parseAnswers(q, answers, 'strict', readingOf(language))
  return submissionErrors(q, parsed, parsed.answers, false).length === 0
}

const readingOf = (language: string): Reading => ({ values: 'codes', language })

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
  reading?: Reading,
): Pick<ValidatedSubmission, 'answers' | 'key'> {
  const parsedAnswers = parseAnswers(questionnaire, parsed.answers, 'strict', reading)
  const key = parsed.key ?? drawKey(questionnaire, parsedAnswers.answers)
  const answers = withGroupsOnPath(questionnaire, parsedAnswers.answers, key.toString('hex'))
  const errors = submissionErrors(questionnaire, parsedAnswers, answers, complete, now)
  if (errors.length) throw problems.invalidAnswers(errors)
  return { key, answers: withDerivedAnswers(questionnaire, withoutUnchosenTexts(questionnaire, answers)) }
}

interface ValidatedSubmission {
  parsed: ParsedSubmission
  completed: Completion
  answers: Answers
  /** The key of the response. */
  key: Buffer
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
  let snapshot = await getStaleSnapshot(context, surveyId, SUBMITTING_ROLES)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const submission = resultOrProblem(() => parse(snapshot))
    if (!(submission instanceof Problem)) {
      const id = await store(context, snapshot, submission, enforceLimits)
      if (id !== 'stale') return { id, key: submission.key.toString('hex'), snapshot }
    }
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

function store(context: Context, snapshot: SurveySnapshot, submission: ValidatedSubmission, enforceLimits: boolean) {
  const { parsed, completed, answers, key } = submission
  const response: NewResponse = importedResponse(snapshot, answers, {
    key,
    completed,
    createdAt: context.now,
    collectorId: parsed.collectorId,
    language: parsed.language,
    traceparent: currentTraceparent(),
  })
  if (completed === 1 && hasLimits(snapshot, response.collectorId))
    return storeWithinLimits(context, snapshot, response, enforceLimits, answers)
  return filesIn(snapshot.questionnaire, answers).length > 0
    ? storeWithFiles(context, snapshot, response, answers)
    : context.services.submissionBatcher.submit(response, context.isAbandoned)
}

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
function storeWithinLimits(
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
function storeWithFiles(
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

/** Meta fields that a request can set. */
type SettableMeta = '_completed' | '_collector' | '_language' | '_key'

/** A request body split into meta fields and raw answers. */
export interface ParsedSubmission {
  answers: Record<string, unknown>
  completed?: Completion
  collectorId?: number
  language?: string
  /** The key of the response: 20 bytes. */
  key?: Buffer
}

/** Meta fields that clients receive and can send back in an edit. The edit does not change them. */
const READ_ONLY_NAMES: ReadonlySet<string> = new Set(
  [...metaFieldByKey.keys(), 'response_uri'].filter((key) => !['_completed', '_collector', '_language'].includes(key)),
)

/** Removes the read-only meta fields from the request body of an edit. */
export const withoutReadOnly = (raw: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([name]) => !READ_ONLY_NAMES.has(name)))

const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
const KEY = /^[0-9a-f]{40}$/i

/**
 * Splits a request body into answers and meta fields. A name that begins with `_` is a meta field, unless it is the key
 * of a question. Empty values of allowed meta fields are ignored.
 * @throws {Problem} `invalid_request` naming each meta field that is not allowed or invalid
 */
export function parseSubmission(
  { questionnaire, collectors }: Pick<SurveySnapshot, 'questionnaire' | 'collectors'>,
  raw: Readonly<Record<string, unknown>>,
  allowed: readonly SettableMeta[],
): ParsedSubmission {
  const parsed: ParsedSubmission = { answers: Object.create(null) as Record<string, unknown> }
  const errors: FieldError[] = []
  for (const name of Object.keys(raw)) {
    const value = raw[name]
    if (!name.startsWith('_') || targetOf(questionnaire, name)) parsed.answers[name] = value
    else if (!(allowed as readonly string[]).includes(name))
      errors.push(fieldError(name, 'read_only', { allowed: [...allowed] }, readOnlyText(allowed)))
    else if (value !== '' && value !== null && value !== undefined) {
      const error = setMeta(parsed, name as SettableMeta, value, collectors)
      if (error) errors.push({ field: name, ...error })
    }
  }
  if (errors.length) throw problems.invalid(errors)
  return parsed
}

const readOnlyText = (allowed: readonly SettableMeta[]) =>
  `cannot be set, and is not a question of this survey; apart from answers, only ${allowed.join(', ')} are accepted`

const invalid = (message: string): ValueError => valueError('invalid_metadata', {}, message)

/** Sets a meta field. @returns the error of an invalid value */
function setMeta(
  parsed: ParsedSubmission,
  name: SettableMeta,
  value: unknown,
  collectors: SurveySnapshot['collectors'],
): ValueError | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return invalid('must be a single value')
  switch (name) {
    case '_completed':
      if (!/^[012]$/.test(text)) return invalid('must be 0, 1 or 2')
      parsed.completed = Number(text) as Completion
      return undefined
    case '_collector':
      if (!/^\d{1,15}$/.test(text) || !collectors.has(Number(text))) return valueError('unknown_collector')
      parsed.collectorId = Number(text)
      return undefined
    case '_language':
      if (!LANGUAGE.test(text)) return invalid('must be a language code such as en or pt-BR')
      parsed.language = text
      return undefined
    case '_key':
      if (!KEY.test(text)) return invalid('must be the key of a response: 40 hexadecimal digits')
      parsed.key = Buffer.from(text, 'hex')
      return undefined
  }
}
