import { Account, toActor } from '../account/account.ts'
import type { Context, PublicContext } from '../context.ts'
import { Problem, problems } from '../problem.ts'
import { unavailabilityOf } from '../respondent/availability.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { Email } from './email.ts'
import { DAY_MS, planReminder } from './plan-reminder.ts'
import { lockEmail } from './queries.ts'
import { remind } from './remind.ts'

export const MAX_REMIND_AFTER_DAYS = 60
export const MAX_REMIND_TIMES = 5
/** Delay before another attempt if a reminder failed, or the daily limit of emails was reached. */
const RETRY_DELAY_MS = 3_600_000

/** When reminders of an invitation are sent automatically. */
export interface ReminderSchedule {
  /** Days between the invitation and the first reminder, and between two reminders; null: no automatic reminders. */
  afterDays: number | null
  /** Maximum number of reminders; 0: no automatic reminders. */
  times: number
}

function checkNumber(field: string, value: number, max: number): void {
  if (!Number.isInteger(value)) throw problems.invalidField(field, 'not_an_integer')
  if (value < 1) throw problems.invalidField(field, 'too_small', { min: 1 })
  if (value > max) throw problems.invalidField(field, 'too_large', { max })
}

/**
 * Sets or stops the automatic reminders of an invitation.
 * @throws {Problem} `email_not_found`; `invalid_request` for a number out of range, and for an email that is a reminder
 *   itself
 */
export async function scheduleReminders(
  context: Context,
  id: number,
  { afterDays: days, times }: ReminderSchedule,
): Promise<Email> {
  const email = await lockEmail(context, id)
  const afterDays = times === 0 ? null : days
  if (afterDays !== null) {
    if (email.reminderOf !== null && email.reminderOf !== undefined)
      throw problems.invalidField('remind_after_days', 'not_allowed', {}, 'is not allowed for a reminder')
    checkNumber('remind_after_days', afterDays, MAX_REMIND_AFTER_DAYS)
    checkNumber('remind_times', times, MAX_REMIND_TIMES)
  }
  email.remindAfterDays = afterDays
  email.remindTimes = afterDays === null ? 0 : times
  planReminder(email, context.now)
  await context.em.flush()
  return email
}

/**
 * Sends the reminders that are due, one invitation after the other. Each reminder and the time of the next one are
 * stored in one transaction that locks the invitation. Therefore each reminder is sent once, even if several servers
 * run.
 * @param signal ends the run between two invitations
 */
export async function sendDueReminders(context: PublicContext, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  let isDue = true
  while (isDue && !signal.aborted)
    isDue = await context.em.fork().transactional((em) => sendNextReminder({ ...context, em }, errors))
  if (errors.length > 0) throw errors[0]
}

/**
 * Sends the next reminder that is due.
 * @param errors receives an unexpected error, so that it does not stop the reminders of other invitations
 * @returns false if no reminder is due
 */
async function sendNextReminder(context: PublicContext, errors: unknown[]): Promise<boolean> {
  const { em, now } = context
  const due = await em
    .getKysely<Tables>()
    .selectFrom('email')
    .select('id')
    .where('next_reminder_at', '<=', now as unknown as string)
    .orderBy('next_reminder_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!due) return false
  const email = await em.findOneOrFail(Email, { id: due.id })
  email.nextReminderAt = await remindOrStop(context, email, errors)
  await em.flush()
  return true
}

/**
 * Sends a reminder, postpones it, or stops the reminders of an email.
 * @returns when the next reminder is due; null if there is none
 */
async function remindOrStop(context: PublicContext, email: Email, errors: unknown[]): Promise<Date | null> {
  const { em, now } = context
  const snapshot = await getSnapshot(em, email.survey.id)
  const collector = snapshot?.collectors.get(email.collector.id)
  if (!snapshot || !collector || !email.remindAfterDays) return null
  const next = new Date(now.getTime() + email.remindAfterDays * DAY_MS)
  const reason = await unavailabilityOf(context, snapshot, collector, { known: true, tests: false })
  if (reason) return reason === 'notYetOpen' ? next : null
  const actor = toActor(await em.findOneOrFail(Account, { id: email.owner.id }))
  try {
    // The savepoint ensures that a reminder that fails changes nothing in the database.
    await em.transactional((inner) => remind({ ...context, em: inner, actor }, email.id, {}))
  } catch (error) {
    if (!(error instanceof Problem)) errors.push(error)
    const isFinal = error instanceof Problem && error.code !== 'too_many_requests'
    return isFinal ? null : new Date(now.getTime() + RETRY_DELAY_MS)
  }
  email.remindersSent = (email.remindersSent ?? 0) + 1
  return email.remindersSent < (email.remindTimes ?? 0) ? next : null
}
