import { timingSafeEqual } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'

/** How often an account gets an email about new responses to a survey. */
export type NotificationFrequency = 'off' | 'immediate' | 'daily'

/**
 * Returns how often the actor gets an email about new responses to a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findNotification(context: Context, surveyId: number): Promise<NotificationFrequency> {
  await authorize(context, surveyId, 'View')
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('survey_notification')
    .select('frequency')
    .where('survey_id', '=', surveyId)
    .where('account_id', '=', context.actor.id)
    .executeTakeFirst()
  return row?.frequency ?? 'off'
}

/**
 * Sets how often the actor gets an email about new responses to a survey. When the emails are turned on, responses that
 * are already stored are not treated as new.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function setNotification(
  context: Context,
  surveyId: number,
  frequency: NotificationFrequency,
): Promise<NotificationFrequency> {
  await authorize(context, surveyId, 'View')
  const { em, actor, now } = context
  const db = em.getKysely<Tables>()
  if (frequency === 'off') {
    await deleteNotification(context, surveyId, actor.id)
    return frequency
  }
  const feed = await db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).executeTakeFirst()
  const nextAt = frequency === 'daily' ? nextDailyEmail(actor.id, now) : sql<Date>`${now}::timestamptz`
  await db
    .insertInto('survey_notification')
    .values({ survey_id: surveyId, account_id: actor.id, frequency, seq: feed?.seq ?? 0, next_at: nextAt })
    .onConflict((conflict) =>
      conflict
        .columns(['survey_id', 'account_id'])
        .doUpdateSet({ frequency, next_at: nextAt })
        .where('survey_notification.frequency', '<>', frequency),
    )
    .execute()
  return frequency
}

/** Ends the emails to an account about new responses to a survey. */
export async function deleteNotification(
  { em }: Pick<Context, 'em'>,
  surveyId: number,
  accountId: number,
): Promise<void> {
  await em
    .getKysely<Tables>()
    .deleteFrom('survey_notification')
    .where('survey_id', '=', surveyId)
    .where('account_id', '=', accountId)
    .execute()
}

/** A survey and an account that gets emails about its new responses. */
interface Subscription {
  survey: number
  account: number
}

const signatureOf = ({ secretKey }: Services, { survey, account }: Subscription) =>
  digest(secretKey, `notification ${survey} ${account}`).toString('hex').slice(0, 32)

/**
 * Returns the URL that ends the emails of a subscription. The page requires no session, and the URL cannot be guessed.
 */
export const notificationUnsubscribeUrl = (services: Services, subscription: Subscription): string =>
  `${services.baseUrl}/notifications/${subscription.survey}-${subscription.account}-${signatureOf(services, subscription)}/`

/**
 * Returns the subscription of an unsubscribe link.
 * @throws {Problem} `survey_not_found` for an invalid link
 */
export function subscriptionOf(services: Services, token: string): Subscription {
  const [, survey, account, signature = ''] = /^(\d{1,15})-(\d{1,15})-([0-9a-f]{32})$/.exec(token) ?? []
  const subscription = { survey: Number(survey), account: Number(account) }
  if (!survey || !timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(services, subscription))))
    throw problems.surveyNotFound()
  return subscription
}

/** The minimum time between two emails to an account about new responses to the same survey. */
export const EMAIL_INTERVAL_MS = 600_000

/** The hour of daily emails in the time zone of the account, or in UTC if the account has no time zone. */
const DAILY_HOUR = 7

/** Returns an expression for the time of the next daily email to an account. */
export const nextDailyEmail = (accountId: number, now: Date): RawBuilder<Date> =>
  sql`(select (date_trunc('day', ${now}::timestamptz at time zone zone.name - ${DAILY_HOUR}::integer * interval '1 hour')
      + interval '1 day' + ${DAILY_HOUR}::integer * interval '1 hour') at time zone zone.name
    from (select coalesce(time_zone, 'UTC') as name from account where id = ${accountId}) as zone)`
