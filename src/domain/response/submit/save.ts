import { type Kysely, type Selectable, sql } from 'kysely'
import { currentTraceparent } from '../../../lib/tracing.ts'
import type { PublicContext } from '../../context.ts'
import { attachFiles } from '../../file/queries.ts'
import { problems } from '../../problem.ts'
import type { Answers, Questionnaire, Quota } from '../../structure/questionnaire.ts'
import { matchingQuotas } from '../../structure/quota.ts'
import { scoreOf } from '../../structure/score.ts'
import { fromStored, toStored } from '../../structure/stored.ts'
import { answersOnPath } from '../../structure/visibility.ts'
import { ERASED_IDENTITY, isAnonymousCollector, truncateToHour } from '../../survey/anonymity.ts'
import { addToCounts, appendChanges, lockFeed } from '../../survey/feed.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { enqueueCompletionEvent } from './batch.ts'
import type { Completion } from './new-response.ts'
import { fullQuota, isFull, type LimitReached, reserveQuotaSlots } from './quotas.ts'

/** A stored response. Its answers contain positions of choices instead of stable numbers (structure/stored.ts). */
export interface ResponseRecord {
  id: number
  key: Buffer
  completed: Completion
  answers: Answers
  collectorId: number
  language: string
  pagepath: string | null
  /** Code of the invitation that was used. */
  inviteCode: string | null
  /** The query string with which the response was started; null for anonymous responses. */
  getVariables: string | null
  createdAt: Date
  updatedAt: Date
  /** Seconds that the respondent has spent so far; null: unknown, or the response is anonymous. */
  activeSeconds: number | null
}

/** Quotas that are settled before the end of the survey. */
interface SettledQuotas {
  quotas: readonly Quota[]
  /** Number of the page that settles them, from 1. */
  page: number
  /** `_pagepath` of a response that ends with this page. */
  pagepath: string
}

/** Changes to a response. The values of absent properties are not changed. */
export interface ResponseUpdate {
  /** Validated answers. They replace stored answers with the same keys. */
  answers?: Answers
  /** Response keys whose answers are removed before `answers` are merged. */
  cleared?: readonly string[]
  completed?: Completion | undefined
  collectorId?: number | undefined
  language?: string
  pagepath?: string
  /** The completion time in seconds; absent: the time that the respondent has spent; null: unknown. */
  completionTime?: number | null
  /** When the submitted page was displayed, according to its form. */
  shownAt?: Date | undefined
  /**
   * Stores data of a program as sent: its answers off the path are kept when the response becomes complete or
   * terminated.
   */
  asSent?: boolean
  /** The quotas that the submitted page settles. If one of them is full, the response ends with this page. */
  settled?: SettledQuotas | undefined
  /**
   * Applies quotas and `max_responses` to a response that becomes complete. Absent: the limits do not apply, because
   * not the respondent but a user with a role on the survey saves the response. The response still counts towards the
   * limits.
   */
  enforceLimits?: boolean
  /**
   * Lets the response stay incomplete, although the respondent has reached the end. The limits still determine what the
   * respondent sees.
   */
  staysIncomplete?: boolean
}

/** A response after a save, and the limit that it reached, if any. */
interface SaveResult extends ResponseRecord {
  limitReached?: LimitReached
}

/** The columns of a {@link ResponseRecord}. */
export const RESPONSE_COLUMNS = [
  ...(['id', 'key', 'completed', 'answers', 'collector_id', 'language', 'pagepath', 'invite_code'] as const),
  ...(['get_variables', 'created_at', 'updated_at', 'active_seconds'] as const),
]

export type ResponseRow = Pick<Selectable<Tables['response']>, (typeof RESPONSE_COLUMNS)[number]>

/**
 * Reads a response by id or key.
 * @param lock whether the row is locked until the commit
 */
export async function findResponseRecord(
  db: Kysely<Tables>,
  { id: surveyId, questionnaire }: Pick<SurveySnapshot, 'id' | 'questionnaire'>,
  which: { id: number } | { key: Buffer },
  lock: boolean,
): Promise<ResponseRecord | undefined> {
  const found = db
    .selectFrom('response')
    .select(RESPONSE_COLUMNS)
    .where('survey_id', '=', surveyId)
    .where((eb) => ('id' in which ? eb('id', '=', which.id) : eb('key', '=', which.key)))
  const row = await (lock ? found.forUpdate() : found).executeTakeFirst()
  return row && recordOf(questionnaire, row)
}

/** Returns the response of a row. */
export const recordOf = (questionnaire: Questionnaire, row: ResponseRow): ResponseRecord => ({
  id: row.id,
  key: row.key,
  completed: row.completed as Completion,
  answers: fromStored(questionnaire, row.answers as Answers),
  collectorId: row.collector_id,
  language: row.language,
  pagepath: row.pagepath,
  inviteCode: row.invite_code,
  getVariables: row.get_variables,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  activeSeconds: row.active_seconds,
})

/**
 * Updates a response: merges answers, sets the completion, increments the number of saves, appends to the change feed,
 * and enqueues the webhook event if the response becomes complete. Call it in a transaction. Locks the feed of the
 * survey until the commit, so that changes appear in the order of commits and no limit is exceeded.
 * @param update the changes, or a function that derives them from the locked response; if the function returns
 *   `undefined`, nothing is changed
 * @throws {Problem} `response_not_found`, `survey_error` for a file that cannot be used
 */
export async function saveAnswers(
  context: PublicContext,
  snapshot: SurveySnapshot,
  which: { id: number } | { key: Buffer },
  update:
    | ResponseUpdate
    | ((stored: ResponseRecord) => ResponseUpdate | undefined | Promise<ResponseUpdate | undefined>),
): Promise<SaveResult> {
  const db = context.em.getKysely<Tables>()
  await lockFeed(db, snapshot.id)
  const stored = await findResponseRecord(db, snapshot, which, true)
  if (!stored) throw problems.responseNotFound()
  const change = typeof update === 'function' ? await update(stored) : update
  if (!change) return stored
  const merged = merge(stored.answers, change)
  await checkCollector(db, stored, change)
  const { completed, limitReached, endsEarly } = await resolveCompletion(db, snapshot, stored, change, merged)
  const { pagepath = stored.pagepath } = endsEarly ? change.settled! : change
  const isEnd = completed > 0 && stored.completed === 0 && pagepath !== null
  const answers = isEnd ? finalAnswers(snapshot, merged, change, endsEarly) : merged
  const saved: SaveResult = {
    ...stored,
    answers,
    completed,
    collectorId: change.collectorId ?? stored.collectorId,
    language: change.language ?? stored.language,
    pagepath,
    ...(limitReached && { limitReached }),
  }
  const anonymous = isAnonymousCollector(snapshot, saved.collectorId)
  const at = anonymous ? truncateToHour(context.now) : context.now
  saved.activeSeconds = anonymous || stored.completed > 0 ? stored.activeSeconds : timeSpent(stored, change, at)
  const completionTime = anonymous
    ? null
    : change.completionTime === undefined
      ? saved.activeSeconds
      : change.completionTime
  await writeResponse(db, at, snapshot, stored, saved, completionTime)
  await attachFiles(db, snapshot.questionnaire, { surveyId: snapshot.id, ...stored }, stored.answers, answers)
  if (anonymous && saved.collectorId !== stored.collectorId) await anonymizeResponse(db, snapshot.id, stored)
  if (completed === 1 && stored.completed !== 1) {
    const traceparent = anonymous ? undefined : currentTraceparent()
    await enqueueCompletionEvent(db, snapshot.id, { ...stored, traceparent })
  }
  if (saved.collectorId !== stored.collectorId)
    await addToCounts(
      db,
      snapshot.id,
      new Map([
        [stored.collectorId, -1],
        [saved.collectorId, 1],
      ]),
    )
  if (completed === 1 || stored.completed === 1)
    await reserveQuotaSlots(db, snapshot, stored.id, completed === 1 && !limitReached ? answers : undefined)
  if (typeof limitReached === 'object' && limitReached.quota.action === 'close') await closeSurvey(db, snapshot.id, at)
  return saved
}

/**
 * Checks that the new collector still exists. Call it after `lockFeed`.
 * @throws {Problem} `collector_not_found`
 */
async function checkCollector(
  db: Kysely<Tables>,
  stored: ResponseRecord,
  { collectorId = stored.collectorId }: ResponseUpdate,
): Promise<void> {
  if (collectorId === stored.collectorId) return
  const found = await db.selectFrom('collector').select('id').where('id', '=', collectorId).executeTakeFirst()
  if (!found) throw problems.collectorNotFound()
}

function merge(stored: Answers, { answers = {}, cleared = [] }: ResponseUpdate): Answers {
  const clearedKeys = new Set(cleared)
  const remaining = Object.entries(stored).filter(([key]) => !clearedKeys.has(key))
  return Object.fromEntries([...remaining, ...Object.entries(answers)])
}

/**
 * Returns the answers of a response whose walk ends: those on its path. If a quota ends it early, the path ends with the
 * page that settles the quota.
 */
function finalAnswers(
  { questionnaire: q }: SurveySnapshot,
  merged: Answers,
  { answers, asSent, settled }: ResponseUpdate,
  endsEarly: boolean | undefined,
): Answers {
  const onPath = answersOnPath(q, merged)
  if (asSent) return { ...onPath, ...answers }
  if (!endsEarly) return onPath
  const isReached = (key: string) => (q.byKey.get(key)?.question.page ?? 0) <= settled!.page || isHidden(q, key)
  return Object.fromEntries(Object.entries(onPath).filter(([key]) => isReached(key)))
}

const isHidden = (q: Questionnaire, key: string): boolean => q.byKey.get(key)?.type === 'hidden'

/**
 * Returns the completion after applying the limits. If `max_responses` is reached, the completion does not change. If a
 * quota is full, the action of the quota determines the completion.
 */
async function resolveCompletion(
  db: Kysely<Tables>,
  snapshot: SurveySnapshot,
  stored: ResponseRecord,
  change: ResponseUpdate,
  answers: Answers,
): Promise<{ completed: Completion; limitReached?: LimitReached; endsEarly?: boolean }> {
  const { completed: next = stored.completed, enforceLimits, staysIncomplete, settled } = change
  const completed = staysIncomplete ? stored.completed : next
  const endsEarly = settled !== undefined && next === 0
  if (!endsEarly && (!enforceLimits || next !== 1 || stored.completed === 1)) return { completed }
  if (!endsEarly && (await isFull(db, snapshot, stored.collectorId)))
    return { completed: stored.completed, limitReached: 'full' }
  const quotas = endsEarly ? settled.quotas : matchingQuotas(snapshot.questionnaire, answers)
  const quota = await fullQuota(db, snapshot.id, quotas)
  if (!quota) return { completed }
  if (staysIncomplete) return { completed, limitReached: { quota }, endsEarly }
  return { completed: quota.action === 'terminate' ? 2 : 1, limitReached: { quota }, endsEarly }
}

/** Returns the seconds that the respondent has spent, including the page that is being saved. */
const timeSpent = (
  { createdAt, updatedAt, activeSeconds: before }: ResponseRecord,
  { shownAt }: ResponseUpdate,
  now: Date,
): number => (before ?? activeSeconds(createdAt, updatedAt)) + activeSeconds(updatedAt, now, shownAt)

/** Removes the identity from a response that moves to an anonymous collector. */
const anonymizeResponse = (db: Kysely<Tables>, surveyId: number, { id, createdAt }: ResponseRecord) =>
  db
    .updateTable('response')
    .set({ ...ERASED_IDENTITY, completion_time: null, active_seconds: null, created_at: truncateToHour(createdAt) })
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .execute()

async function writeResponse(
  db: Kysely<Tables>,
  now: Date,
  { id: surveyId, questionnaire }: SurveySnapshot,
  before: ResponseRecord,
  saved: SaveResult,
  completionTime: number | null,
): Promise<void> {
  await db
    .updateTable('response')
    .set((eb) => ({
      answers: sql<Record<string, unknown>>`${JSON.stringify(toStored(questionnaire, saved.answers))}::jsonb`,
      completed: saved.completed,
      collector_id: saved.collectorId,
      language: saved.language,
      pagepath: saved.pagepath,
      saves: eb('saves', '+', 1),
      active_seconds: saved.activeSeconds,
      updated_at: now,
      weighted_score: saved.completed === 1 ? scoreOf(questionnaire, saved.answers) : null,
      // Set when the response is completed or terminated, not by later edits.
      ...(saved.completed > 0 &&
        before.completed === 0 && {
          completion_time: eb.fn.coalesce(
            'completion_time',
            eb.val(completionTime === null ? null : Math.round(completionTime)),
          ),
        }),
    }))
    .where('survey_id', '=', surveyId)
    .where('id', '=', before.id)
    .execute()
  const completes = saved.completed === 1 && before.completed !== 1
  await appendChanges(db, surveyId, [saved], completes ? 'completed' : 'edited', now)
}

/** Closes the survey. Called if a quota with the action `close` is full. */
const closeSurvey = (db: Kysely<Tables>, surveyId: number, now: Date) =>
  db
    .updateTable('survey')
    .set((eb) => ({ live: false, updated_at: now, revision: eb('revision', '+', 1) }))
    .where('id', '=', surveyId)
    .execute()

/** A longer pause is not part of the completion time (docs/specification.md 7.1). */
const MAX_PAUSE_SECONDS = 1_800

/**
 * Returns the seconds between two moments that count towards the completion time. A pause of more than 30 minutes does
 * not count; the time since the page was displayed again after the pause does.
 * @param shownAt when the page was displayed, according to its form
 */
export function activeSeconds(from: Date, to: Date, shownAt?: Date): number {
  const seconds = secondsBetween(from, to)
  if (seconds <= MAX_PAUSE_SECONDS) return Math.max(0, seconds)
  const sinceShown = shownAt && shownAt > from ? secondsBetween(shownAt, to) : MAX_PAUSE_SECONDS + 1
  return sinceShown > 0 && sinceShown <= MAX_PAUSE_SECONDS ? sinceShown : 0
}

const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000
