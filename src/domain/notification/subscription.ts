import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import type { Tables } from '../tables.ts'
import { nextDailyEmail } from './schedule.ts'

/** How often an account gets an email about new responses to a survey. */
export type NotificationFrequency = 'off' | 'immediate' | 'daily'

/**
 * Returns how often the actor gets an email about new responses to a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findNotification(context: Context, surveyId: number): Promise<NotificationFrequency> {
  await authorize(context, surveyId, 'Analyze')
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
  await authorize(context, surveyId, 'Analyze')
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
