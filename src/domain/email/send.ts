import { sql } from 'kysely'
import { forgetBounces } from '../contact/bounced-address.ts'
import type { Context, PublicContext } from '../context.ts'
import { releaseEmailQuota, reserveEmailQuota } from '../email-quota.ts'
import { detail } from '../error-details.ts'
import { randomCodes } from '../invitation/codes.ts'
import { enqueue } from '../jobs.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { Email } from './email.ts'
import { type MailWords, mailWordsOf } from './language.ts'
import { hasToken } from './message.ts'
import { findDraft, lockEmail } from './queries.ts'
import { UNSUBSCRIBE_LINK } from './tokens.ts'

/** Returns the footer of a message; null if the message contains an unsubscribe link. */
export const footerOf = (message: string, { footer }: MailWords): string | null =>
  hasToken(message, UNSUBSCRIBE_LINK) ? null : footer

/**
 * Schedules a draft for sending. Creates an invite code of the email's collector for every recipient who does not have
 * one (docs/specification.md 9.6). Call it inside a transaction.
 * @param scheduled the delay, in the grammar of {@link delayOf}; absent or empty: immediately
 * @throws {Problem} `invalid_request` if the delay is invalid or longer than ten years, or if there are no recipients;
 *   `email_not_found`; `email_sent` if the email is already scheduled or sent; `too_many_requests` if the messages
 *   would exceed the daily limit
 */
export async function sendEmail(context: Context, id: number, scheduled?: string): Promise<void> {
  const delay = scheduled?.trim() ? delayOf(scheduled) : 0
  if (delay === undefined) throw problems.invalidField('scheduled', 'invalid_delay')
  await queueEmail(context, await findDraft(context, id), startAfter(context, delay))
}

function startAfter({ now }: Context, delay: number): Date {
  if (!(delay <= MAX_DELAY_MS))
    throw problems.invalidField('scheduled', 'limit_reached', {}, detail('within_ten_years'))
  return new Date(now.getTime() + delay)
}

/**
 * Schedules a draft for a time. If the time is in the past, the email is sent immediately.
 * @throws {Problem} as {@link sendEmail}; `invalid_request` for a time more than ten years ahead
 */
export async function sendEmailAt(context: Context, id: number, at: Date): Promise<void> {
  const delay = Math.max(at.getTime() - context.now.getTime(), 0)
  await queueEmail(context, await findDraft(context, id), startAfter(context, delay))
}

/** @throws {Problem} `invalid_request` if no one could receive an email of this server */
export function assertMailServer({ services }: PublicContext): void {
  if (!services.deliversMail) throw problems.invalidField('email', 'email_unavailable', {}, detail('no_mail_server'))
}

/**
 * Queues the messages of a draft, in a few statements for any number of recipients.
 * @throws {Problem} as {@link sendEmail}
 */
export async function queueEmail(context: Context, email: Email, at: Date): Promise<void> {
  const { em, now } = context
  assertMailServer(context)
  const db = em.getKysely<Tables>()
  await db.deleteFrom('email_message').where('email_id', '=', email.id).where('contact_id', 'is', null).execute()
  await createInvites(context, email)
  const { numUpdatedRows: queued } = await db
    .updateTable('email_message')
    .from('invite')
    .set((eb) => ({ state: 'queued', next_at: at, invite_id: eb.ref('invite.id') }))
    .where('email_message.email_id', '=', email.id)
    .where('invite.collector_id', '=', email.collector.id)
    .whereRef('invite.contact_id', '=', 'email_message.contact_id')
    .executeTakeFirstOrThrow()
  if (!queued) throw problems.noRecipients()
  await recordActivity(context, email.survey.id, 'emails_sent', { email: email.id, count: Number(queued) })
  await reserveEmailQuota(context, Number(queued), at)
  email.status = 'scheduled'
  email.footer = footerOf(email.message, (await mailWordsOf(context, email.survey.id)).words)
  email.scheduledAt = at
  email.updatedAt = now
  planReminder(email, now)
  await em.flush()
  const group = String(email.owner.id)
  await enqueue(context, 'send-email', { email: email.id }, { group, ...(at > now && { startAfter: at }) })
}

/**
 * Creates an invite of the collector for every recipient without an invite. If a random code is already in use, another
 * code is chosen.
 */
async function createInvites({ em, now }: Context, { id, survey, collector }: Email): Promise<void> {
  const db = em.getKysely<Tables>()
  for (;;) {
    const rows = await db
      .selectFrom('email_message')
      .leftJoin('invite', (join) =>
        join.on('invite.collector_id', '=', collector.id).onRef('invite.contact_id', '=', 'email_message.contact_id'),
      )
      .select('email_message.contact_id')
      .where('email_message.email_id', '=', id)
      .where('invite.id', 'is', null)
      .orderBy('email_message.contact_id')
      .execute()
    if (!rows.length) return
    const contacts = rows.map(({ contact_id }) => contact_id)
    const codes = sql<{
      contact_id: number
      code: string
    }>`unnest(${contacts}::bigint[], ${randomCodes(contacts.length)}::text[])`
    await db
      .insertInto('invite')
      .columns(['survey_id', 'collector_id', 'created_at', 'contact_id', 'code', 'email', 'name'])
      .expression((eb) =>
        eb
          .selectFrom(codes.as<'codes'>(sql`codes(contact_id, code)`))
          .innerJoin('contact', 'contact.id', 'codes.contact_id')
          .select([
            sql<number>`${survey.id}::bigint`.as('survey_id'),
            sql<number>`${collector.id}::bigint`.as('collector_id'),
            sql<Date>`${now}::timestamptz`.as('created_at'),
            'contact.id as contact_id',
            'codes.code',
            'contact.email',
            'contact.name',
          ]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export const DAY_MS = 86_400_000

/**
 * Sets the time of the next automatic reminder of an email. If the reminder is overdue, sets the current time; if there
 * is no further reminder, sets null.
 */
export function planReminder(email: Email, now: Date): void {
  const { remindAfterDays, remindTimes = 0, remindersSent = 0, status, scheduledAt } = email
  const isPlanned = status !== 'draft' && scheduledAt && remindAfterDays && remindersSent < remindTimes
  const due = isPlanned ? scheduledAt.getTime() + (remindersSent + 1) * remindAfterDays * DAY_MS : 0
  email.nextReminderAt = isPlanned ? new Date(Math.max(due, now.getTime())) : null
}

/**
 * Queues the messages of an email that failed or bounced again, to the present addresses of their recipients, and makes
 * a stopped email try again immediately. Mail to these addresses is permitted again. Call it inside a transaction.
 * @returns the number of messages that had failed
 * @throws {Problem} `email_not_found`, `forbidden`; `email_not_sent` for a draft; `too_many_requests`
 */
export async function sendAgain(context: Context, id: number): Promise<number> {
  const { em, now } = context
  const email = await lockEmail(context, id)
  if (email.status === 'draft') throw problems.emailNotSent()
  const db = em.getKysely<Tables>()
  const messages = await db
    .updateTable('email_message')
    .set({ state: 'queued', attempts: 0, next_at: now, run: null, handed_at: null })
    .where('email_id', '=', id)
    .where('state', 'in', ['failed', 'bounced'])
    .returning(['invite_id', 'contact_id'])
    .execute()
  const invites = messages.flatMap(({ invite_id }) => invite_id ?? [])
  if (invites.length) await db.updateTable('invite').set({ bounced_at: null }).where('id', 'in', invites).execute()
  if (!messages.length && !email.hold) return 0
  const contacts = messages.flatMap(({ contact_id }) => contact_id ?? [])
  const addresses = await db
    .selectFrom('contact')
    .select('email')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(contacts))))
    .execute()
  await forgetBounces(
    context,
    email.owner.id,
    addresses.map((contact) => contact.email),
  )
  if (messages.length) await reserveEmailQuota(context, messages.length, now)
  if (email.hold)
    await db
      .updateTable('email_message')
      .set({ next_at: now })
      .where('email_id', '=', id)
      .where('state', '=', 'queued')
      .execute()
  email.status = 'scheduled'
  email.updatedAt = now
  await em.flush()
  await enqueue(context, 'send-email', { email: id }, { group: String(email.owner.id) })
  return messages.length
}

const MINUTE_MS = 60_000
const UNITS: Readonly<Record<string, number>> = {
  w: 7 * 24 * 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  h: 60 * MINUTE_MS,
  m: MINUTE_MS,
}
/** Ten years. */
const MAX_DELAY_MS = 3650 * UNITS.d!

const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/
const DURATION_PART = /(\d+(?:\.\d+)?)([wdhm])[ +]*/y

/**
 * Parses the delay of an email (docs/specification.md 9.6): a sum of numbers, each with a unit, `w`, `d`, `h` or `m`,
 * such as `1w2d` or `1h 30m`; a plain number means days. The parts can be separated by `+` or spaces.
 * @returns milliseconds; undefined for any other text
 */
export function delayOf(text: string): number | undefined {
  const trimmed = text.trim()
  if (PLAIN_NUMBER.test(trimmed)) return Math.round(Number(trimmed) * UNITS.d!)
  let sum = 0
  let position = 0
  while (position < trimmed.length) {
    DURATION_PART.lastIndex = position
    const [part, number, unit] = DURATION_PART.exec(trimmed) ?? []
    if (part === undefined) return undefined
    sum += Number(number) * UNITS[unit!]!
    position += part.length
  }
  return trimmed === '' || /[ +]$/.test(trimmed) ? undefined : Math.round(sum)
}

/**
 * Cancels a scheduled email of which no message was sent. The email becomes a draft again and keeps its recipients and
 * their invite codes. Call it inside a transaction.
 * @throws {Problem} `email_not_found`; `email_sent` when the mail server may have received a message
 */
export async function unscheduleEmail(context: Context, id: number): Promise<void> {
  const email = await lockEmail(context, id)
  if (email.status === 'sent') throw problems.emailSent()
  const db = context.em.getKysely<Tables>()
  // If a run has claimed a message, the state of the message does not change, because the mail server may have received
  // the message (claim.ts).
  const { numUpdatedRows: returned } = await db
    .updateTable('email_message')
    .set({ state: 'added', next_at: null, run: null })
    .where('email_id', '=', id)
    .where('state', 'in', ['queued', 'skipped'])
    .where('handed_at', 'is', null)
    .where('attempts', '=', 0)
    .executeTakeFirstOrThrow()
  const left = await db
    .selectFrom('email_message')
    .select('id')
    .where('email_id', '=', id)
    .where('state', '!=', 'added')
    .limit(1)
    .executeTakeFirst()
  if (left) throw problems.emailSent()
  if (email.scheduledAt) await releaseEmailQuota(context, email.owner.id, Number(returned), email.scheduledAt)
  email.status = 'draft'
  email.scheduledAt = null
  email.footer = null
  email.nextReminderAt = null
  email.hold = null
  email.updatedAt = context.now
  await context.em.flush()
}
