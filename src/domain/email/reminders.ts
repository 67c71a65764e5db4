import { sql } from 'kysely'
import { Account, toActor } from '../account/account.ts'
import type { Context, PublicContext } from '../context.ts'
import { Problem, problems } from '../problem.ts'
import { unavailabilityOf } from '../respondent/availability.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { checkEmail, Email, type EmailTexts, MAX_SUBJECT_CHARACTERS } from './email.ts'
import { mailWordsFor, mailWordsOf } from './language.ts'
import { lockEmail } from './queries.ts'
import { insertRecipients } from './recipients.ts'
import { DAY_MS, planReminder, queueEmail } from './send.ts'

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
    // Restoring a survey from the trash continues its reminders.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('survey')
          .select('survey.id')
          .whereRef('survey.id', '=', 'email.survey_id')
          .where('survey.deleted_at', 'is', null),
      ),
    )
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

/** The subject and text of a reminder. If absent or empty, the default text is used. */
interface ReminderText {
  subject?: string | undefined
  message?: string | undefined
}

/** Returns the default text of a reminder in the language of the survey. */
export async function reminderOf(
  context: Pick<Context, 'em'>,
  { subject, surveyId }: { subject: string; surveyId: number },
): Promise<EmailTexts> {
  return reminderTexts(subject, (await mailWordsOf(context, surveyId)).language)
}

/** Returns the default text of a reminder in a language. */
function reminderTexts(subject: string, language: string): EmailTexts {
  const { words } = mailWordsFor(language)
  return { subject: `${words.reminder}: ${subject}`.slice(0, MAX_SUBJECT_CHARACTERS), message: words.reminderText }
}

/**
 * Sends a reminder immediately to the recipients of an email who have not completed the survey. The reminder is a new
 * email that uses the invite codes of the original email. Recipients in whose language the original email has a text get
 * the default text in this language. Call it inside a transaction.
 * @returns the reminder
 * @throws {Problem} `email_not_found`; `email_not_sent` for a draft; `nobody_to_remind`; `invalid_request`
 */
export async function remind(context: Context, id: number, { subject, message }: ReminderText): Promise<Email> {
  const { em, now } = context
  const original = await lockEmail(context, id)
  if (original.status === 'draft') throw problems.emailNotSent()
  const defaults = await reminderOf(context, { subject: original.subject, surveyId: original.survey.id })
  const text = { subject: subject?.trim() || defaults.subject, message: message?.trim() || defaults.message }
  const translations = Object.fromEntries(
    Object.entries(original.translations ?? {}).map(([code, texts]) => [code, reminderTexts(texts.subject, code)]),
  )
  const reminder = em.create(Email, {
    owner: original.owner.id,
    survey: original.survey.id,
    collector: original.collector.id,
    reminderOf: original.id,
    status: 'draft',
    ...checkEmail({ sender: original.sender, replyTo: original.replyTo, ...text, translations }),
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  const codes = await completedCodes(context, original.survey.id)
  if (!(await insertRecipients(context, reminder.id, pendingRecipients(context, id, codes))))
    throw problems.noOneToRemind()
  await queueEmail(context, reminder, now)
  return reminder
}

/** Returns the codes of the invitations whose respondents have completed the survey or were screened out. */
async function completedCodes({ em }: Context, surveyId: number): Promise<string[]> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('response')
    .select('invite_code')
    .distinct()
    .where('survey_id', '=', surveyId)
    .where('invite_code', 'is not', null)
    .where('completed', '>', 0)
    .execute()
  return rows.flatMap(({ invite_code }) => invite_code ?? [])
}

/**
 * Selects recipients whose message was sent and who have neither completed the survey nor used their invitation
 * anonymously.
 */
const pendingRecipients = ({ em }: Context, emailId: number, codes: readonly string[]) =>
  em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select('contact.id')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('email_message')
          .innerJoin('invite', 'invite.id', 'email_message.invite_id')
          .select('email_message.id')
          .whereRef('email_message.contact_id', '=', 'contact.id')
          .where('email_message.email_id', '=', emailId)
          .where('email_message.state', '=', 'sent')
          .where('invite.used_on', 'is', null)
          .where((inner) => inner('invite.code', '!=', sql<string>`all(${codes}::text[])`)),
      ),
    )
