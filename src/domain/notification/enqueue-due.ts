import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { can } from '../group/access.ts'
import { enqueue } from '../jobs.ts'
import { truncateToHour } from '../survey/anonymity.ts'
import { accessIn } from '../survey/queries.ts'
import { getSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'
import { deleteNotification, EMAIL_INTERVAL_MS, nextDailyEmail } from './subscription.ts'

/** Number of rows of `survey_notification` that are read at once. */
const BATCH = 1_000
const HOUR_MS = 3_600_000
/** The latest time after the full hour at which an email about an anonymous survey is sent. */
const MAX_DELAY_MS = 300_000

interface DueNotification {
  survey_id: number
  account_id: number
  frequency: 'immediate' | 'daily'
  seq: number
  next_at: string
}

/**
 * Enqueues the emails about new responses that are due. If a survey has not changed and the account gets immediate
 * emails, reads only one row of `survey_notification` and one of `survey_feed`. The transaction that enqueues an email
 * also stores the last change about which the account has been informed, so each email is sent once even if there are
 * several servers.
 * @param signal ends the run between two emails
 * @throws the first error, after the other emails are enqueued
 */
export async function enqueueDueNotifications(context: PublicContext, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  let last = { survey_id: 0, account_id: 0 }
  while (!signal.aborted) {
    const due = await findDue(context, last)
    const seqs = await findSeqs(context, [...new Set(due.map(({ survey_id }) => survey_id))])
    for (const notification of due) {
      if (signal.aborted) break
      const hasChanged = (seqs.get(notification.survey_id) ?? 0) > notification.seq
      if (!hasChanged && notification.frequency === 'immediate') continue
      await context.em
        .fork()
        .transactional((em) => enqueueNotification({ ...context, em }, notification))
        .catch((error: unknown) => errors.push(error))
    }
    if (due.length < BATCH) break
    last = due.at(-1)!
  }
  if (errors.length > 0) throw errors[0]
}

const dueNotifications = ({ em, now }: PublicContext) =>
  em
    .getKysely<Tables>()
    .selectFrom('survey_notification')
    .select(['survey_id', 'account_id', 'frequency', 'seq', 'next_at'])
    .where('next_at', '<=', now as unknown as string)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('survey')
          .select('survey.id')
          .whereRef('survey.id', '=', 'survey_notification.survey_id')
          .where('survey.deleted_at', 'is', null),
      ),
    )

const findDue = (
  context: PublicContext,
  after: Pick<DueNotification, 'survey_id' | 'account_id'>,
): Promise<DueNotification[]> =>
  dueNotifications(context)
    .where((eb) => eb(eb.refTuple('survey_id', 'account_id'), '>', eb.tuple(after.survey_id, after.account_id)))
    .orderBy('survey_id')
    .orderBy('account_id')
    .limit(BATCH)
    .execute()

/** Returns the last change of each survey. */
async function findSeqs({ em }: PublicContext, surveys: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (!surveys.length) return new Map()
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .modifyFront(sql.raw(ACROSS_SURVEYS))
    .select(['survey_id', 'seq'])
    .where((eb) => eb('survey_id', '=', eb.fn.any(eb.val(surveys))))
    .execute()
  return new Map(rows.map(({ survey_id, seq }) => [survey_id, seq]))
}

async function enqueueNotification(context: PublicContext, key: DueNotification): Promise<void> {
  const { em, now } = context
  const { survey_id: survey, account_id: account } = key
  const due = await dueNotifications(context)
    .where('survey_id', '=', survey)
    .where('account_id', '=', account)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  const snapshot = due && (await getSnapshot(em, survey))
  if (!snapshot) return
  if (!can(accessIn(snapshot, { id: account }), 'View')) return deleteNotification(context, survey, account)
  const anonymous = hasAnonymousResponses(snapshot)
  const hour = truncateToHour(now).getTime()
  const isOnTheHour = new Date(due.next_at).getTime() === hour && now.getTime() - hour < MAX_DELAY_MS
  if (anonymous && due.frequency === 'immediate' && !isOnTheHour) {
    // At any other time, the email would reveal when a respondent answered.
    await update(context, key, { next_at: new Date(hour + HOUR_MS) })
    return
  }
  const { number, latestId, seq } = await countNewResponses(context, snapshot, due.seq)
  const nextImmediate = anonymous ? hour + HOUR_MS : number > 0 ? now.getTime() + EMAIL_INTERVAL_MS : now.getTime()
  await update(context, key, {
    seq,
    next_at: due.frequency === 'daily' ? nextDailyEmail(account, now) : new Date(nextImmediate),
  })
  if (number === 0) return
  const response = number === 1 && latestId !== null && !anonymous ? { response: latestId } : {}
  await enqueue(context, 'send-notification', {
    survey,
    account,
    responses: number,
    ...response,
    reference: randomUUID(),
  })
}

const hasAnonymousResponses = ({ collectors }: SurveySnapshot): boolean =>
  [...collectors.values()].some(({ settings }) => settings.anonymous)

const update = (
  { em }: PublicContext,
  { survey_id, account_id }: DueNotification,
  change: { seq?: number; next_at?: Date | RawBuilder<Date> },
) =>
  em
    .getKysely<Tables>()
    .updateTable('survey_notification')
    .set(change)
    .where('survey_id', '=', survey_id)
    .where('account_id', '=', account_id)
    .execute()

/** The responses to a survey that have become complete after a given change in the change feed. */
interface NewResponses {
  number: number
  /** The ID of the newest of these responses; null if there is none. */
  latestId: number | null
  /** The number of the last change in the feed that is included in the count. */
  seq: number
}

/**
 * Counts the responses that have become complete after a given change in the change feed. Uses a single statement, so
 * that all numbers describe the survey at the same moment. Changes of versions before 0.9.6 do not say which edit
 * completed a response; then it is the one at the completion time after the creation, and for an anonymous response,
 * which has no completion time, any edit.
 * @param seq the number of the given change
 */
async function countNewResponses(
  { em }: Pick<PublicContext, 'em'>,
  { id, collectors }: SurveySnapshot,
  seq: number,
): Promise<NewResponses> {
  const anonymous = [...collectors.values()].flatMap((each) => (each.settings.anonymous ? [each.id] : []))
  const { rows } = await sql<{ number: number; latest: number | null; seq: number | null }>`
    select count(distinct response.id) as number, max(response.id) as latest,
      (select seq from survey_feed where survey_id = ${id}) as seq
    from response_change as change join response on response.survey_id = change.survey_id and response.id = change.response_id
    where change.survey_id = ${id} and change.seq > ${seq} and response.completed = 1
      and (change.kind = 1 or change.kind = 2 and coalesce(change.completes,
        abs(extract(epoch from change.at - response.created_at) - response.completion_time) < 1
        or response.completion_time is null and response.collector_id = any(${anonymous}::bigint[])
      ))`.execute(em.getKysely<Tables>())
  const { number, latest, seq: last } = rows[0]!
  return { number, latestId: latest, seq: last ?? seq }
}
