import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Account, toActor } from '../account/account.ts'
import { assertAdministrator } from '../account/administrator.ts'
import type { Context } from '../context.ts'
import type { DeliveryHold } from '../email/claim.ts'
import { sendAgain } from '../email/send.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'

/** How long a test message may take, in milliseconds. */
const TEST_TIMEOUT_MS = 20_000

/**
 * Sends a message through the mail server now, to test it.
 * @param by who sends it: the name of a command, or of a person
 * @throws {MailError} if the mail server does not accept the message or cannot be reached
 */
export async function sendTestMessage(
  { baseUrl, mailFrom, mailer }: Services,
  address: string,
  by: string,
  now: Date,
): Promise<void> {
  const message = {
    messageId: `<${randomUUID()}@${new URL(baseUrl).hostname}>`,
    date: now,
    from: mailFrom,
    to: { name: '', address },
    subject: 'Test message of Canvass',
    text: `This message was sent with “${by}” by the server at ${baseUrl}.\n`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
  await mailer.send(message, AbortSignal.timeout(TEST_TIMEOUT_MS))
}

/**
 * Sends a test message to an address, as the actor.
 * @returns why the mail server did not accept it; undefined: it did
 * @throws {Problem} `invalid_request`; `user_not_found` unless the actor is an administrator
 */
export async function testMail(context: Context, written: string): Promise<string | undefined> {
  await assertAdministrator(context)
  const address = readEmailAddress(written)
  if (!isEmailAddress(address)) throw problems.invalidField('email', 'invalid_email')
  await recordSecurityEvent(context, INSTALLATION, 'mail_tested', { by: context.actor.id })
  try {
    await sendTestMessage(context.services, address, context.actor.username, context.now)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The largest number of messages that is counted. */
export const MAX_COUNTED_MESSAGES = 100_000
/** Number of the newest emails whose failures are listed. */
const SEARCHED_EMAILS = 200
/** Maximum number of messages of one email that are counted. */
export const MAX_COUNTED_FAILURES = 1_000

/** An email with messages that failed, or that the mail server has stopped. */
export interface TroubledEmail {
  id: number
  /** The username of its sender. Subject and survey stay hidden. */
  owner: string
  sentAt: Date | null
  /** Up to {@link MAX_COUNTED_FAILURES}, and one more if there are more. */
  failed: number
  /** The error of one of the messages. */
  reason: string | null
  hold: DeliveryHold | null
}

/** What waits to be sent, and what was not sent. */
export interface MailQueue {
  /** Invitations that wait, up to {@link MAX_COUNTED_MESSAGES}. */
  waiting: number
  troubled: TroubledEmail[]
}

/**
 * Returns the state of the queue of invitations. Each count reads an index up to a limit, so the time does not grow with
 * the tables: failures are searched in the newest 200 emails.
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function describeMailQueue(context: Context): Promise<MailQueue> {
  await assertAdministrator(context)
  const db = context.em.getKysely<Tables>()
  const { rows: waiting } = await sql<{ count: number }>`select count(*)::integer as count from (
    select from email_message where state = 'queued' limit ${MAX_COUNTED_MESSAGES}) as waiting`.execute(db)
  const { rows } = await sql<Omit<TroubledEmail, 'sentAt'> & { sentAt: string | null }>`
    select e.id, a.username as owner, e.scheduled_at as "sentAt", e.hold, m.failed, m.reason
    from (select * from email where status <> 'draft' order by id desc limit ${SEARCHED_EMAILS}) as e
    join account a on a.id = e.owner_id
    cross join lateral (select count(*)::integer as failed, max(error) as reason from (
      select error from email_message where email_id = e.id and state in ('failed', 'bounced')
      limit ${MAX_COUNTED_FAILURES + 1}) as found) as m
    where m.failed > 0 or e.hold is not null order by e.id desc`.execute(db)
  const troubled = rows.map((row) => ({ ...row, sentAt: row.sentAt === null ? null : new Date(row.sentAt) }))
  return { waiting: waiting[0]!.count, troubled }
}

/**
 * Sends the failed messages of an email again, as its owner can. Call it inside a transaction.
 * @returns the number of messages
 * @throws {Problem} `email_not_found`, `email_not_sent`, `too_many_requests`; `user_not_found` unless the actor is an
 *   administrator
 */
export async function sendEmailAgain(context: Context, emailId: number): Promise<number> {
  await assertAdministrator(context)
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('email')
    .select('owner_id')
    .where('id', '=', emailId)
    .executeTakeFirst()
  const owner = row && (await context.em.findOne(Account, row.owner_id))
  if (!owner) throw problems.emailNotFound()
  const count = await sendAgain({ ...context, actor: toActor(owner) }, emailId)
  const details = { by: context.actor.id, email: emailId, count }
  await recordSecurityEvent(context, INSTALLATION, 'emails_sent_again', details)
  return count
}
