import { sql } from 'kysely'
import type { Context, PublicContext } from '../context.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { detail } from '../error-details.ts'
import { randomCodes } from '../invitation/codes.ts'
import { enqueue } from '../jobs.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Email } from './email.ts'
import type { MailWords } from './i18n.ts'
import { mailWordsOf } from './language.ts'
import { hasToken } from './message.ts'
import { planReminder } from './plan-reminder.ts'
import { findDraft } from './queries.ts'
import { delayOf, MAX_DELAY_MS } from './schedule.ts'
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
