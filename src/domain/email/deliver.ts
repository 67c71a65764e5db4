import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { MailError } from '../../lib/mail-error.ts'
import type { PublicContext } from '../context.ts'
import { isEmailAddress } from '../email-address.ts'
import { parseSender, senderHeaders } from '../email-sender.ts'
import { enqueue } from '../enqueue.ts'
import { surveyUrl } from '../survey-address.ts'
import type { Tables } from '../tables.ts'
import { withAdvisoryLock } from './advisory-lock.ts'
import { nextAttemptAt } from './backoff.ts'
import { buildEmailMessage, type Writing } from './build-message.ts'
import { type Claimed, claimNext, requeueAbandoned } from './claim.ts'
import { mailWordsOf } from './language.ts'
import { prepareMessage } from './message.ts'
import { messageIdOf } from './message-id.ts'
import { mark, type Outcome } from './record-result.ts'
import { unsubscribeLink } from './unsubscribe.ts'

/** Messages of one e-mail under way at the same time. */
const CONCURRENCY = 4
/** A run ends after so many milliseconds; the rest is another job, so that e-mails take turns. */
const MAX_RUN_MS = 20_000
/** So many times in a row without reaching the mail server end a run. */
const MAX_CONNECTION_FAILURES = 3
/** When the mail server is tried again that could not be reached, and when a run whose e-mail is in hand, in milliseconds. */
const RECONNECT_DELAY_MS = 60_000
const POLL_DELAY_MS = 5_000

interface Run {
  id: string
  context: PublicContext
  db: Kysely<Tables>
  emailId: number
  writing: Writing
  inviteLink(code: string): string
  /** Ends the run between two messages. */
  signal: AbortSignal
  /** Ends it at once: another run may have the turn. */
  lost: AbortSignal
  /** Times in a row that the mail server could not be reached. */
  unreached: number
}

/**
 * Sends what is due of an e-mail: one message per recipient, several at a time; one that stalls holds up no other lane.
 * What is left afterwards becomes another job. A message is reserved, sent and marked, and only what the mail server has
 * confirmed is marked as sent; only one run at a time has an e-mail in hand.
 * @param signal ends the run between two messages
 */
export async function deliverEmail(context: PublicContext, emailId: number, signal: AbortSignal): Promise<void> {
  const db = context.em.getKysely<Tables>()
  const taken = await withAdvisoryLock(context.services.pool, emailId, async (lost) => {
    const opened = await openEmail(context, emailId)
    if (!opened) return
    await requeueAbandoned(db, emailId)
    const ends = AbortSignal.any([signal, lost, AbortSignal.timeout(MAX_RUN_MS)])
    const run: Run = { id: randomUUID(), context, db, emailId, ...opened, signal: ends, lost, unreached: 0 }
    const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, () => workLane(run)))
    const broken = lanes.find((lane) => lane.status === 'rejected')
    if (broken) throw broken.reason
    await conclude(run)
  })
  if (!taken) await enqueue(context, 'send-email', { email: emailId }, { startAfter: later(context, POLL_DELAY_MS) })
}

const later = ({ now }: PublicContext, millis: number) => new Date(now.getTime() + millis)

/** What the messages of an e-mail have in common; nothing when it is deleted or a draft. */
async function openEmail(
  context: PublicContext,
  emailId: number,
): Promise<Pick<Run, 'writing' | 'inviteLink'> | undefined> {
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('email')
    .innerJoin('survey', 'survey.id', 'email.survey_id')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .select(['email.sender', 'email.subject', 'email.message', 'email.footer', 'email.survey_id'])
    .select(['survey.slug', 'account.username'])
    .where('email.id', '=', emailId)
    .where('email.status', '=', 'scheduled')
    .executeTakeFirst()
  if (!row) return undefined
  const { sender, subject, message, footer } = row
  const { language } = await mailWordsOf(context, row.survey_id)
  return {
    writing: {
      from: senderHeaders(context.services, parseSender(sender) ?? context.services.mailFrom),
      subject,
      message: prepareMessage(message),
      footer,
      language,
    },
    inviteLink: (code) => `${surveyUrl(context.services.baseUrl, row)}?code=${code}`,
  }
}

async function workLane(run: Run): Promise<void> {
  while (!run.signal.aborted && run.unreached < MAX_CONNECTION_FAILURES) {
    const claimed = await claimNext(run.db, run.emailId, run.id, run.context.now)
    if (!claimed) return
    await mark(run.db, claimed, run.id, run.context.now, await attempt(run, claimed))
  }
}

async function attempt(run: Run, claimed: Claimed): Promise<Outcome> {
  const { contact, code } = claimed
  if (!contact || contact.unsubscribed || code === null) return { state: 'skipped' }
  const { services, now } = run.context
  // Stored by an earlier version, which took more for an address than mailers do.
  if (!isEmailAddress(contact.email))
    return { state: 'bounced', address: contact.email, error: 'This is not an e-mail address.', tried: true }
  const message = buildEmailMessage(
    run.writing,
    {
      inviteLink: run.inviteLink(code),
      unsubscribeLink: unsubscribeLink(services, contact.id, run.writing.language),
      name: contact.name,
      email: contact.email,
      custom: contact.custom,
    },
    { messageId: messageIdOf(services, claimed.id), date: now },
  )
  try {
    await services.mailer.send(message, run.lost)
    run.unreached = 0
    return { state: 'sent', address: contact.email, tried: true }
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    run.unreached = error.failure === 'unreachable' ? run.unreached + 1 : 0
    const failed = { address: contact.email, error: error.message, tried: true }
    if (error.failure === 'refused') return { state: 'bounced', ...failed }
    const nextAt = nextAttemptAt(now, claimed.attempts + 1, Math.random())
    return nextAt ? { state: 'queued', nextAt, ...failed } : { state: 'failed', ...failed }
  }
}

/** The e-mail is sent when its last recipient is done; until then there is a job for what is left. */
async function conclude({ context, db, emailId, unreached }: Run): Promise<void> {
  const { left, next } = await db
    .selectFrom('email_message')
    .select((eb) => [eb.fn.countAll<number>().as('left'), eb.fn.min('next_at').as('next')])
    .where('email_id', '=', emailId)
    .where('state', 'in', ['queued', 'sending'])
    .executeTakeFirstOrThrow()
  if (!left) {
    await db
      .updateTable('email')
      .set({ status: 'sent', updated_at: context.now })
      .where('id', '=', emailId)
      .where('status', '=', 'scheduled')
      .execute()
    return
  }
  const due = new Date(next ?? context.now)
  const rested = unreached < MAX_CONNECTION_FAILURES ? context.now : later(context, RECONNECT_DELAY_MS)
  await enqueue(context, 'send-email', { email: emailId }, { startAfter: due > rested ? due : rested })
}
