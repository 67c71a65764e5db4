import { constraintName } from '../../lib/postgres-client.ts'
import { currentTraceparent } from '../../lib/tracing.ts'
import type { PublicContext } from '../context.ts'
import { claimInvite, findResponseKey, type Invitation, releaseInvite } from '../invitation/visit.ts'
import { storeBatch } from '../response/submit/batch.ts'
import { anonymizeNewResponse } from '../response/submit/imported.ts'
import type { Completion, NewResponse } from '../response/submit/new-response.ts'
import type { LimitReached } from '../response/submit/quotas.ts'
import {
  activeSeconds,
  findResponseRecord,
  type ResponseRecord,
  recordOf,
  saveAnswers,
} from '../response/submit/save.ts'
import { hasLimits } from '../response/submit/submit.ts'
import { isAssigned } from '../structure/assignment.ts'
import { filesIn } from '../structure/file-answer.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { scoreOf } from '../structure/score.ts'
import { toStored } from '../structure/stored.ts'
import { answersOnPath } from '../structure/visibility.ts'
import { lockFeed } from '../survey/feed.ts'
import { type CollectorSnapshot, getSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { claimsInvitation } from './availability.ts'
import { type NextStep, type PageDecision, type Submission, submitPage } from './page-submission.ts'
import { endOf, withEnd } from './path.ts'

/** Where a respondent comes from. It is stored with the first page, unless the survey is anonymous. */
export interface RespondentSource {
  collector: CollectorSnapshot
  ipAddress: string
  referrer: string
  /** The query string of the URL, without the parameters of the service. */
  getVariables: string
  /** When the page was displayed, according to its form. */
  shownAt: Date | undefined
  /** The invitation of the respondent. */
  invited?: Invitation | undefined
}

/** The key of a response to which a page belongs. */
export interface ResponseKey {
  key: Buffer
  /** Whether the key was drawn for this page, so that no response has it. */
  isNew: boolean
}

/** The result of a submitted page. */
export interface SubmittedPage {
  /** Whether a response exists. If the first page is invalid and has no answers, no response is created. */
  stored: boolean
  /** The key of the response. It differs from the key of the form if the invitation already had a response. */
  key: Buffer
  answers: Answers
  /**
   * `changed`: nothing was stored, because the
   * survey was edited during every attempt, or because an edit removed the page. The respondent must submit the page
   * again, in the version of this snapshot.
   */
  next: NextStep | { to: 'changed'; snapshot: SurveySnapshot }
  limitReached?: LimitReached
}

/** Maximum length of a stored query string or referrer. */
const MAX_TEXT_CHARACTERS = 2_000
/** Maximum number of attempts to store a first page if its survey is being edited at the same time. */
const MAX_ATTEMPTS = 5

/** Returns the response with a key of 20 bytes. The key grants access to the response. */
export async function findResponse(
  { services }: PublicContext,
  { id, questionnaire }: SurveySnapshot,
  key: Buffer,
): Promise<ResponseRecord | undefined> {
  const row = await services.respondentLookups.findResponse(id, key)
  return row && recordOf(questionnaire, row)
}

/**
 * Stores one page of a response. The first page creates the response under the key issued with the form, so a first
 * page that is submitted twice creates one response. Later pages change this response. Valid answers are stored even if
 * others are invalid. A complete response is not changed.
 */
export async function submitPageAnswers(
  context: PublicContext,
  snapshot: SurveySnapshot,
  { key, isNew }: ResponseKey,
  submission: Submission,
  source: RespondentSource,
): Promise<SubmittedPage> {
  if (!isNew && (await findResponse(context, snapshot, key)))
    return continueResponse(context, snapshot, key, submission, source)
  let current = snapshot
  for (let attempt = 1; ; attempt++) {
    const decision = submitPage(current.questionnaire, undefined, withSeed(submission, key), context.now)
    const { answers, next } = decision
    if (next.to !== 'page' && next.to !== 'end' && isEmpty(current.questionnaire, answers))
      return { stored: false, key, answers, next }
    const files = filesIn(current.questionnaire, answers)
    // Limits and files are processed in a second step. If there are neither limits nor files, the first step stores
    // everything.
    const limited =
      decision.change.settled !== undefined ||
      (next.to === 'end' && next.completed === 1 && hasLimits(current, source.collector.id))
    const isUnfinished = limited || files.length > 0
    const response = newResponse(context, current, key, withoutFiles(decision, files), source, !isUnfinished)
    const outcome = await createFromFirstPage(context, current, source.collector, response, source.invited)
    if (typeof outcome === 'object') return continueResponse(context, current, outcome.key, submission, source)
    if (outcome !== 'stale')
      return isUnfinished
        ? continueResponse(context, current, key, submission, source)
        : { stored: true, key, answers, next }
    const latest = await getSnapshot(context.em, snapshot.id)
    if (!latest) return { stored: false, key, answers, next: { to: 'page', page: 1 } }
    if (attempt === MAX_ATTEMPTS || submission.page > latest.questionnaire.pages.length)
      return { stored: false, key, answers, next: { to: 'changed', snapshot: latest } }
    current = latest
  }
}

/** Reports whether a respondent has answered nothing: random groups are no answers of theirs. */
const isEmpty = (q: Questionnaire, answers: Answers): boolean =>
  Object.keys(answers).every((key) => isAssigned(q.byKey.get(key)?.question.kind ?? ''))

const withSeed = (submission: Submission, key: Buffer): Submission => ({ ...submission, seed: key.toString('hex') })

/** Returns a decision without the answers that contain files. */
function withoutFiles(decision: PageDecision, files: ReturnType<typeof filesIn>): PageDecision {
  const names = new Set(files.map(({ field }) => field.key))
  const answers = Object.entries(decision.answers).filter(([key]) => !names.has(key))
  return names.size === 0 ? decision : { ...decision, answers: Object.fromEntries(answers) }
}

async function continueResponse(
  context: PublicContext,
  snapshot: SurveySnapshot,
  key: Buffer,
  submission: Submission,
  { collector, invited, shownAt }: RespondentSource,
): Promise<SubmittedPage> {
  let decision: PageDecision | undefined
  const { limitReached, answers, completed } = await context.em.transactional(async (em) => {
    const inner = { ...context, em }
    let claimed = false
    const saved = await saveAnswers(inner, snapshot, { key }, async (stored) => {
      if (endOf(snapshot.questionnaire, stored)) return undefined
      decision = submitPage(snapshot.questionnaire, stored, withSeed(submission, key), context.now)
      const change = { ...decision.change, shownAt }
      const { completed, settled } = change
      if (!(completed || settled) || !invited || !claimsInvitation(snapshot, collector, stored)) return change
      claimed = await claimInvite(inner, snapshot.id, invited.id)
      if (claimed) return change
      if (settled)
        return { ...change, staysIncomplete: true, settled: { ...settled, pagepath: withEnd(settled.pagepath) } }
      return { ...change, staysIncomplete: true, pagepath: withEnd(change.pagepath ?? stored.pagepath) }
    })
    if (claimed && saved.completed === 0) await releaseInvite(inner, invited!.id)
    return saved
  })
  if (!decision) return { stored: true, key, answers, next: { to: 'end', completed } }
  const next: NextStep =
    limitReached === 'full' ? { to: 'full' } : limitReached ? { to: 'end', completed } : decision.next
  return { stored: true, key, answers, next, ...(limitReached && { limitReached }) }
}

function newResponse(
  { now }: PublicContext,
  { id, revision, questionnaire, ownIdsFrom }: SurveySnapshot,
  key: Buffer,
  { answers, change, next }: PageDecision,
  { collector, ipAddress, referrer, getVariables, shownAt }: RespondentSource,
  mayComplete: boolean,
): NewResponse {
  const { anonymous, store_ip } = collector.settings
  const completed: Completion = next.to === 'end' && mayComplete ? next.completed : 0
  const kept = completed > 0 ? answersOnPath(questionnaire, answers) : answers
  const response: NewResponse = {
    surveyId: id,
    revision,
    collectorId: collector.id,
    key,
    completed,
    answers: JSON.stringify(toStored(questionnaire, kept)),
    createdAt: now,
    locale: null,
    completionTime: Math.round(activeSeconds(shownAt ?? now, now)),
    weightedScore: completed === 1 ? scoreOf(questionnaire, kept) : null,
    language: change.language ?? '',
    username: '',
    ipAddress: store_ip ? ipAddress : '',
    getVariables: getVariables.slice(0, MAX_TEXT_CHARACTERS) || null,
    referrer: referrer.slice(0, MAX_TEXT_CHARACTERS) || null,
    pagepath: change.pagepath ?? null,
    inviteCode: null,
    inviteEmail: null,
    inviteName: null,
    traceparent: currentTraceparent(),
    hasReservedId: ownIdsFrom !== null,
  }
  return anonymous ? anonymizeNewResponse(response) : response
}

/**
 * The result of storing the first page of a response. A number is the id of the response. `stale` is as in {@link
 * SubmissionBatcher.submit}. `key` is the key of a response that was stored earlier, for the same invitation or under
 * the same key.
 */
type FirstPageResult = number | 'stale' | { key: Buffer }

/**
 * Stores the first page of a response. If the respondent has an invitation and the response is not anonymous, links the
 * response to the invitation.
 */
async function createFromFirstPage(
  context: PublicContext,
  snapshot: SurveySnapshot,
  { settings }: CollectorSnapshot,
  incoming: NewResponse,
  invited: Invitation | undefined,
): Promise<FirstPageResult> {
  const { submissionBatcher } = context.services
  if (!invited) return submissionBatcher.submit(incoming)
  if (settings.anonymous)
    return settings.one_per_invite && incoming.completed > 0
      ? storeOnce(context, snapshot, incoming, invited)
      : submissionBatcher.submit(incoming)
  const identified = { ...incoming, inviteEmail: invited.email, inviteName: invited.name }
  if (!settings.one_per_invite) return storeAnother(context, identified, invited)
  try {
    return await submissionBatcher.submit({ ...identified, inviteCode: invited.code })
  } catch (error) {
    const key = constraintName(error) === 'response_invite_key' && (await findResponseKey(context, snapshot, invited))
    if (key) return { key }
    throw error
  }
}

/**
 * Stores an anonymous response whose first page is also the last one. The use of the invitation is recorded separately
 * from the response (used-invite.ts). If the invitation was used before, the response stays incomplete, and its
 * respondent sees the same pages.
 */
const storeOnce = (
  context: PublicContext,
  snapshot: SurveySnapshot,
  incoming: NewResponse,
  invited: Invitation,
): Promise<FirstPageResult> =>
  context.em.transactional(async (em) => {
    const db = em.getKysely<Tables>()
    const { key } = incoming
    await lockFeed(db, snapshot.id)
    if (await findResponseRecord(db, snapshot, { key }, false)) return { key }
    const claimed = await claimInvite({ ...context, em }, snapshot.id, invited.id)
    const unclaimed = { completed: 0, weightedScore: null, pagepath: withEnd(incoming.pagepath) } as const
    const [outcome = 'stale'] = await storeBatch(db, [claimed ? incoming : { ...incoming, ...unclaimed }])
    if (outcome === 'stale' && claimed) await releaseInvite({ ...context, em }, invited.id)
    return outcome
  })

/** Stores a response of an invitation that permits several responses. */
const storeAnother = ({ em }: PublicContext, incoming: NewResponse, { code }: Invitation): Promise<FirstPageResult> =>
  em.transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    const [outcome = 'stale'] = await storeBatch(db, [incoming])
    if (outcome !== 'stale')
      await db
        .updateTable('response')
        .set({ invite_code: code, invite_once: false })
        .where('survey_id', '=', incoming.surveyId)
        .where('id', '=', outcome)
        .where('invite_code', 'is', null)
        .execute()
    return outcome
  })
