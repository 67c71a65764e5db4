import { randomUUID } from 'node:crypto'
import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { inBatches } from '../../lib/in-batches.ts'
import { JOB_SCHEMA } from '../../lib/job-queue.ts'
import { endsAddress, MailError } from '../../lib/mail-error.ts'
import { type Bounce, bouncesAmong, rememberBounce } from '../contact/bounced-address.ts'
import type { PublicContext } from '../context.ts'
import { isEmailAddress, parseSender, senderHeaders } from '../email-address.ts'
import { enqueue, enqueueAll } from '../jobs.ts'
import { isAnonymousSurvey } from '../survey/anonymity.ts'
import { surveyUrl } from '../survey-address.ts'
import type { Tables } from '../tables.ts'
import {
  type ClaimedMessage,
  claimMessages,
  type DeliveryHold,
  holdAfter,
  learnLimit,
  type MessageResult,
  type RecordedMessage,
  recordResults,
  releaseMessages,
  requeueAbandonedMessages,
  takeTurns,
} from './claim.ts'
import { createClaimedQueue } from './claimed-queue.ts'
import { keyForLanguage, languageOfContact, type MailLanguage, mailWordsOf, recipientLanguage } from './language.ts'
import { findMailTheme } from './mail-theme.ts'
import {
  buildEmailMessage,
  type EmailContent,
  prepareMessage,
  type TranslatedContent,
  translatedContent,
} from './message.ts'
import { messageIdOf, returnPathOf } from './message-id.ts'
import { unsubscribeLink } from './unsubscribe.ts'

/** Number of messages of one email that are sent at the same time. */
const CONCURRENCY = 4
/**
 * Maximum duration of a run. Another job sends the remaining messages, so that a large email does not block other
 * emails.
 */
const MAX_RUN_MS = 20_000
/** Number of consecutive failures to reach the mail server, or refusals of single messages, after which a run ends. */
const MAX_FAILURES = 3
/** Delay before the next run if the mail server could not be reached. */
const RECONNECT_DELAY_MS = 60_000
/** Delay before the next run if another process is sending the email. */
const POLL_DELAY_MS = 5_000

interface Run {
  id: string
  context: PublicContext
  db: Kysely<Tables>
  emailId: number
  /** The account that sends the email. */
  ownerId: number
  /** Whether mail of the account has come back from any address. */
  hasBounces: boolean
  content: EmailContent
  /** The texts in further languages, by language code. */
  translations: ReadonlyMap<string, TranslatedContent>
  language: MailLanguage
  /** Stores the result of an attempt, together with others. */
  record(recorded: RecordedMessage): Promise<void>
  /** @param language a language of the survey; undefined: the page uses a language of the recipient's browser */
  inviteLink(code: string, language: string | undefined): string
  /** Ends the run between two messages. */
  signal: AbortSignal
  /** Ends the run immediately when its lock is lost, because another run may hold the lock. */
  lost: AbortSignal
  /** Consecutive failures to reach the mail server. */
  connectionFailures: number
  /** The last error that may concern all messages, and the number of consecutive messages with one. */
  refusal: MailError | undefined
  refusals: number
  /** Whether the mail server has accepted a message. */
  hasSent: boolean
  /** The hold before the run. */
  previousHold: DeliveryHold | null
  /** When the limit of messages allows the next message; undefined: it has not been reached. */
  pausedUntil: Date | undefined
  /** Why the run ended early. */
  hold: DeliveryHold | null
}

/**
 * Sends the due messages of an email, several at a time, so that a slow message does not delay the others. If messages
 * remain when the run ends, a further job sends them. Each message is claimed, sent and recorded. A message gets the
 * state `sent` only after the mail server has confirmed it. Only one run at a time sends an email.
 * @param signal ends the run between two messages
 */
export async function deliverEmail(context: PublicContext, emailId: number, signal: AbortSignal): Promise<void> {
  const db = context.em.getKysely<Tables>()
  const acquired = await withAdvisoryLock(context.services.pool, emailId, async (lost) => {
    const shared = await openEmail(context, emailId)
    if (!shared) return
    await requeueAbandonedMessages(db, emailId)
    const ending = AbortSignal.any([signal, lost, AbortSignal.timeout(MAX_RUN_MS)])
    const counts = {
      connectionFailures: 0,
      refusal: undefined,
      refusals: 0,
      hasSent: false,
      pausedUntil: undefined,
      hold: null,
    }
    const id = randomUUID()
    const record = createRecorder(db, id, context.now)
    const run: Run = { id, context, db, emailId, record, ...shared, signal: ending, lost, ...counts }
    await sendMessages(run)
    await finishRun(run)
  })
  if (acquired) return
  const email = await db.selectFrom('email').select('owner_id').where('id', '=', emailId).executeTakeFirst()
  if (!email) return
  const again = { startAfter: later(context, POLL_DELAY_MS), group: String(email.owner_id) }
  await enqueue(context, 'send-email', { email: emailId }, again)
}

const later = ({ now }: PublicContext, milliseconds: number) => new Date(now.getTime() + milliseconds)

/**
 * Reads the data that all messages of an email share.
 * @returns undefined unless the email exists and is scheduled
 */
async function openEmail(
  context: PublicContext,
  emailId: number,
): Promise<
  | Pick<Run, 'ownerId' | 'hasBounces' | 'content' | 'translations' | 'language' | 'inviteLink' | 'previousHold'>
  | undefined
> {
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('email')
    .innerJoin('survey', 'survey.id', 'email.survey_id')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .select(['email.sender', 'email.subject', 'email.message', 'email.footer', 'email.survey_id', 'email.owner_id'])
    .select(['email.reply_to', 'email.hold', 'email.translations'])
    .select(['survey.slug', 'account.username'])
    .select((eb) =>
      eb
        .exists(eb.selectFrom('bounced_address').select('digest').whereRef('account_id', '=', 'email.owner_id'))
        .as('has_bounces'),
    )
    .where('email.id', '=', emailId)
    .where('email.status', '=', 'scheduled')
    .where('survey.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { sender, subject, message, footer } = row
  const language = await mailWordsOf(context, row.survey_id)
  const anonymous = await isAnonymousSurvey(context, row.survey_id)
  return {
    ownerId: row.owner_id,
    hasBounces: Boolean(row.has_bounces),
    previousHold: row.hold,
    content: {
      from: senderHeaders(context.services, parseSender(sender) ?? context.services.mailFrom, row.reply_to),
      subject,
      message: prepareMessage(message, anonymous),
      anonymous,
      footer,
      language: language.language,
      ...(await findMailTheme(context.em, row.survey_id)),
    },
    translations: new Map(
      Object.entries(row.translations ?? {}).map(([code, texts]) => [code, translatedContent(texts, anonymous)]),
    ),
    language,
    inviteLink: (code, lang) =>
      `${surveyUrl(context.services.baseUrl, row)}?code=${code}${lang === undefined ? '' : `&lang=${encodeURIComponent(lang)}`}`,
  }
}

/** Returns a function that stores the result of an attempt. Results of several senders are stored together. */
function createRecorder(db: Kysely<Tables>, run: string, now: Date): Run['record'] {
  const record = inBatches((all: readonly RecordedMessage[]) => recordResults(db, run, now, all, 'skip'))
  return async (recorded) => {
    if (!(await record(recorded))) await recordResults(db, run, now, [recorded], 'wait')
  }
}

/** A message that can be sent. */
type SendableMessage = ClaimedMessage & { contact: object; code: string }

/** Sends messages until none is left or the run ends. */
async function sendMessages(run: Run): Promise<void> {
  const queue = createClaimedQueue<SendableMessage>(
    (limit) => claimSendable(run, limit),
    (messages) => releaseMessages(run.db, run.id, messages),
  )
  const canSend = () => !run.signal.aborted && run.connectionFailures < MAX_FAILURES && !run.hold
  const send = async () => {
    while (canSend()) {
      const message = await queue.next()
      if (!message) return
      await run.record({ message, result: await attempt(run, message) })
    }
  }
  const senders = await Promise.allSettled(Array.from({ length: CONCURRENCY }, send))
  const failed = senders.find((sender) => sender.status === 'rejected')
  if (failed) throw failed.reason
  await queue.release()
}

/**
 * Claims messages, and records those that are not sent.
 * @returns the messages to send; undefined if none is left
 */
async function claimSendable(run: Run, limit: number): Promise<SendableMessage[] | undefined> {
  const { db, context, record } = run
  if (run.pausedUntil) return undefined
  const claimed = await claimMessages(db, run.emailId, run.id, context.now, limit)
  if (!claimed.length) return undefined
  const addresses = claimed.flatMap(({ contact }) => contact?.email ?? [])
  const bounces = run.hasBounces ? await bouncesAmong(context, run.ownerId, addresses) : undefined
  const others: RecordedMessage[] = []
  const sendable = claimed.filter((message): message is SendableMessage => {
    const result = resultWithoutSending(message, bounces)
    if (result) others.push({ message, result })
    return !result
  })
  const { allowed, pausedUntil } = await takeTurns(db, context.services, context.now, sendable.length)
  run.pausedUntil = pausedUntil
  const waiting: MessageResult = { state: 'queued', nextAt: later(context, 1), isUncounted: true }
  others.push(...sendable.slice(allowed).map((message) => ({ message, result: waiting })))
  await Promise.all(others.map(record))
  return sendable.slice(0, allowed)
}

/** Returns the result of a message that is not sent; undefined if it can be sent. */
function resultWithoutSending(
  { contact, code }: ClaimedMessage,
  bounces: ReadonlyMap<string, Bounce> | undefined,
): MessageResult | undefined {
  if (!contact || contact.unsubscribed || code === null) return { state: 'skipped' }
  const address = contact.email
  // Earlier versions stored addresses that the mail library does not accept.
  if (!isEmailAddress(address)) return { state: 'bounced', address, error: 'This is not an email address.' }
  const bounce = bounces?.get(address.toLowerCase())
  return bounce && { state: 'bounced', address, error: `Not sent: earlier mail came back: ${bounce.reason}` }
}

async function attempt(run: Run, claimed: SendableMessage): Promise<MessageResult> {
  const { contact, code } = claimed
  const { services, now } = run.context
  const { language, words, surveyLanguage } = recipientLanguage(contact.custom, run.language)
  const key = keyForLanguage([...run.translations.keys()], languageOfContact(contact.custom))
  const content = { ...run.content, ...(key !== undefined && run.translations.get(key)) }
  const message = buildEmailMessage(
    { ...content, language, footer: content.footer && words.footer },
    {
      inviteLink: run.inviteLink(code, surveyLanguage),
      unsubscribeLink: unsubscribeLink(services, run.ownerId, contact, language),
      name: contact.name,
      email: contact.email,
      custom: contact.custom,
    },
    { messageId: messageIdOf(services, claimed.id), date: now },
  )
  try {
    await services.mailer.send({ ...message, returnPath: returnPathOf(services, claimed.id, contact.email) }, run.lost)
    run.connectionFailures = 0
    run.refusals = 0
    run.hasSent = true
    return { state: 'sent', address: contact.email }
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    if (error.failure === 'rejected' && endsAddress(error.message))
      await rememberBounce(run.context, run.ownerId, contact.email, error.message)
    return failedAttempt(run, claimed, contact.email, error)
  }
}

/** Returns what becomes of a message that was not accepted. Ends the run if the others would not be accepted either. */
function failedAttempt(run: Run, { attempts }: ClaimedMessage, address: string, error: MailError): MessageResult {
  const { now } = run.context
  const failed = { address, error: error.message }
  run.connectionFailures = error.failure === 'unreachable' ? run.connectionFailures + 1 : 0
  if (error.failure === 'rejected') return { state: 'bounced', ...failed }
  if (error.stopsSending) {
    run.refusals += error.concernsMessage ? 1 : MAX_FAILURES
    const isEnd = run.refusals >= MAX_FAILURES
    // If the mail server accepts other messages, the refusal concerns this message.
    const isSingle = error.concernsMessage && (run.hasSent || attempts > 0)
    if (isEnd || !isSingle) {
      run.refusal = error
      if (isEnd) run.hold ??= holdAfter(error, now, run.hasSent ? null : run.previousHold)
      return { state: 'queued', nextAt: later(run.context, 1), isUncounted: true, ...failed }
    }
  }
  const nextAt = nextAttemptAt(now, attempts + 1, Math.random())
  return nextAt ? { state: 'queued', nextAt, ...failed } : { state: 'failed', ...failed }
}

/**
 * Sets the status `sent` if no message of the email remains. Otherwise stores why sending has stopped, and enqueues a
 * job for the remaining messages.
 */
async function finishRun(run: Run): Promise<void> {
  const { context, db, emailId, ownerId, connectionFailures } = run
  const { left, next } = await db
    .selectFrom('email_message')
    .select((eb) => [eb.fn.countAll<number>().as('left'), eb.fn.min('next_at').as('next')])
    .where('email_id', '=', emailId)
    .where('state', 'in', ['queued', 'sending'])
    .executeTakeFirstOrThrow()
  if (!left) {
    await db
      .updateTable('email')
      .set({ status: 'sent', hold: null, updated_at: context.now })
      .where('id', '=', emailId)
      .where('status', '=', 'scheduled')
      .execute()
    return
  }
  const { refusal, hasSent, previousHold } = run
  if (run.hold?.failure === 'limited') await learnLimit(db, emailId, context.now)
  const hold = run.hold ?? (refusal && !hasSent ? holdAfter(refusal, context.now, previousHold) : undefined)
  if (hold || (hasSent && previousHold))
    await db
      .updateTable('email')
      .set({ hold: sql`${hold ? JSON.stringify(hold) : null}::jsonb` })
      .where('id', '=', emailId)
      .where('status', '=', 'scheduled')
      .execute()
  const due = new Date(next ?? context.now)
  const earliest = hold
    ? new Date(hold.until)
    : connectionFailures < MAX_FAILURES
      ? (run.pausedUntil ?? context.now)
      : later(context, RECONNECT_DELAY_MS)
  const startAfter = due > earliest ? due : earliest
  await enqueue(context, 'send-email', { email: emailId }, { startAfter, group: String(ownerId) })
}

/**
 * Runs work for an email, unless another process is running work for the same email. The lock belongs to a database
 * session, so it ends when the process of the session ends.
 * @param work receives a signal that aborts if the session is lost, because the lock is lost with it
 * @returns false if another session holds the lock; then `work` is not called
 */
async function withAdvisoryLock(
  pool: Pool,
  emailId: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const client = await pool.connect()
  const key = [`send-email ${emailId}`]
  const connectionLost = new AbortController()
  const onError = () => connectionLost.abort()
  client.on('error', onError)
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as acquired', key)
    if (!rows[0].acquired) return false
    try {
      await work(connectionLost.signal)
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', key).catch(onError)
    }
    return true
  } finally {
    client.off('error', onError)
    client.release(connectionLost.signal.aborted)
  }
}

/** Returns a condition: no session holds the lock of this email. */
const isUnlocked = (emailId: Expression<number>): RawBuilder<boolean> => sql`not exists (
  select from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = hashtextextended('send-email ' || ${emailId}, 0))`

const MINUTE_MS = 60_000

/** Delays before the retries. Their sum is about two days. */
const RETRY_DELAYS_MS = [1, 5, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)

/**
 * Returns when a message that was not accepted is retried: first after about a minute, then after longer and longer
 * times.
 * @param failed attempts so far, at least one
 * @param spread 0 to 1; varies the delay, so that messages that failed together are not retried together
 * @returns undefined if there is no further retry
 */
export function nextAttemptAt(now: Date, failed: number, spread: number): Date | undefined {
  const wait = RETRY_DELAYS_MS[failed - 1]
  return wait === undefined ? undefined : new Date(now.getTime() + wait * (0.95 + 0.1 * spread))
}

/** Maximum time between the start of a job and the moment when its worker locks the email. */
const MAX_START_SECONDS = 2

/**
 * Finds the jobs whose workers were interrupted, and replaces each with a new job. A worker locks the email that it
 * sends, and the lock ends with the process of the worker. If the email of an active job is not locked, the worker of
 * the job no longer runs.
 * @returns the ids of the emails
 */
export const replaceAbandonedJobs = (context: PublicContext): Promise<number[]> =>
  context.em.transactional(async (em) => {
    const schema = sql.id(JOB_SCHEMA)
    const { rows } = await sql<{ email: number; owner: number }>`
      delete from ${schema}.job using email
      where job.name = 'send-email' and job.state = 'active' and email.id = (job.data->>'email')::int
        and email.status = 'scheduled' and ${isUnlocked(sql.ref('email.id'))}
        and job.started_on < ${schema}.job_now() - make_interval(secs => ${MAX_START_SECONDS})
      returning email.id as email, email.owner_id as owner`.execute(em.getKysely())
    const entries = rows.map(({ email, owner }) => ({ payload: { email }, urgent: true, group: String(owner) }))
    if (entries.length) await enqueueAll({ ...context, em }, 'send-email', entries)
    return rows.map(({ email }) => email)
  })
