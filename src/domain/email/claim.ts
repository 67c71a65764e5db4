import { type Kysely, sql } from 'kysely'
import type { MailCause, MailError, MailFailure } from '../../lib/mail-error.ts'
import { executePrepared } from '../execute-prepared.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'
import type { MessageState } from './email.ts'

/** A message that a run has claimed, with the data to build it. A run is one call of `deliverEmail`. */
export interface ClaimedMessage {
  id: number
  inviteId: number | null
  code: string | null
  attempts: number
  /** The recipient; null if the contact no longer exists. */
  contact: {
    id: number
    name: string
    email: string
    /** Whether any contact with this address has unsubscribed. */
    unsubscribed: boolean
    custom: Readonly<Record<string, string>>
  } | null
}

/**
 * Claims the next messages that are due. Their state becomes `sending`, and no other run claims them. From then on, the
 * mail server may have received the messages.
 * @param now when the run began. Messages that were queued later are left to another run, because the content of the
 *   email may have changed.
 * @param limit the maximum number of messages
 */
export async function claimMessages(
  db: Kysely<Tables>,
  emailId: number,
  run: string,
  now: Date,
  limit: number,
): Promise<ClaimedMessage[]> {
  // Subqueries with a limit, and arrays, make PostgreSQL use the indexes also for many messages: it would read the whole
  // tables otherwise.
  const statement = sql`
    with due as materialized (
      select id from email_message where email_id = ${emailId} and state = 'queued' and next_at <= ${now}
      order by next_at, id limit ${limit} for update skip locked
    ), claimed as (
      update email_message set state = 'sending', run = ${run}, handed_at = ${now}
      where id = any(array(select id from due))
      returning id, contact_id, invite_id, attempts, next_at
    )
    select claimed.id, claimed.invite_id as "inviteId", claimed.attempts,
      (select code from invite where id = claimed.invite_id limit 1),
      contact.id as "contactId", contact.name, contact.email, contact.custom, contact.unsubscribed
    from claimed left join lateral (
      select id, name, email, custom, coalesce((select true from contact as same
        where same.owner_id = contact.owner_id and lower(same.email) = lower(contact.email) and same.unsubscribed limit 1),
        false) as unsubscribed
      from contact where id = claimed.contact_id limit 1
    ) as contact on true
    order by claimed.next_at, claimed.id`
  const rows = await executePrepared<ClaimedRow>(db, statement)
  return rows.map(({ contactId, name, email, unsubscribed, custom, ...message }) => ({
    ...message,
    contact: contactId === null ? null : { id: contactId, name, email, unsubscribed, custom },
  }))
}

type ClaimedRow = Omit<ClaimedMessage, 'contact'> &
  Omit<NonNullable<ClaimedMessage['contact']>, 'id'> & { contactId: number | null }

/** Queues messages again that a run has claimed but has not begun to send. */
export async function releaseMessages(
  db: Kysely<Tables>,
  run: string,
  messages: readonly ClaimedMessage[],
): Promise<void> {
  if (!messages.length) return
  await db
    .updateTable('email_message')
    .set({ state: 'queued', run: null, handed_at: null })
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(messages.map(({ id }) => id)))))
    .where('run', '=', run)
    .where('state', '=', 'sending')
    .execute()
}

/**
 * Requeues the messages of a run that was interrupted. It is not known whether the mail server accepted them, so each
 * message is sent again under the same Message-ID. No message is lost, and mail systems recognise duplicates.
 */
export async function requeueAbandonedMessages(db: Kysely<Tables>, emailId: number): Promise<void> {
  await db
    .updateTable('email_message')
    .set({ state: 'queued', run: null })
    .where('email_id', '=', emailId)
    .where('state', '=', 'sending')
    .execute()
}

/** The result of an attempt to send a message. */
export interface MessageResult {
  state: Exclude<MessageState, 'added' | 'sending'>
  /** The address to which the message was sent. */
  address?: string
  error?: string
  /** When the next attempt is due. */
  nextAt?: Date
  /** The mail server did not judge this message, so that the attempt does not count. */
  isUncounted?: boolean
}

/** A claimed message and the result of an attempt to send it. */
export interface RecordedMessage {
  message: ClaimedMessage
  result: MessageResult
}

/**
 * Stores the results of attempts in the messages and in their invitations, except messages that another run has claimed
 * in the meantime.
 * @param locked whether to wait for messages that another transaction has locked, or to leave them out. Wait for one
 *   message only, because the transactions could wait for each other.
 * @returns for each message, whether its result was stored
 */
export async function recordResults(
  db: Kysely<Tables>,
  run: string,
  now: Date,
  recorded: readonly RecordedMessage[],
  locked: 'wait' | 'skip',
): Promise<boolean[]> {
  const column = <Value>(read: (recorded: RecordedMessage) => Value) => recorded.map(read)
  // A condition on the state would make PostgreSQL read the index of the state, which keeps an entry for each message
  // that was ever in the state `sending` until the table is vacuumed.
  const ids = column(({ message }) => message.id)
  const statement = sql`
    with done as (
      select * from unnest(${ids}::bigint[], ${column(({ result }) => result.state)}::text[],
        ${column(attemptsAfter)}::integer[], ${column(({ result }) => result.error ?? null)}::text[],
        ${column(({ result }) => result.address ?? null)}::text[],
        ${column(({ result }) => result.nextAt?.toISOString() ?? null)}::timestamptz[])
        as done (id, state, attempts, error, address, next_at)
    ), own as materialized (
      select id from email_message where id = any(${ids}::bigint[]) and run = ${run} and handed_at is not null
      for update ${locked === 'skip' ? sql`skip locked` : sql``}
    ), updated as (
      update email_message as message set state = done.state, attempts = done.attempts, error = done.error,
        handed_at = null, next_at = coalesce(done.next_at, message.next_at),
        address = coalesce(done.address, message.address),
        sent_at = case when done.state = 'sent' then ${now}::timestamptz else message.sent_at end
      from done join own using (id) where message.id = done.id
      returning message.id, message.invite_id, message.state
    ), invited as (
      update invite set sent_at = case when updated.state = 'sent' then coalesce(invite.sent_at, ${now}) else invite.sent_at end,
        bounced_at = case when updated.state = 'sent' then null else ${now}::timestamptz end
      from updated where invite.id = updated.invite_id and updated.state in ('sent', 'bounced', 'failed')
    )
    select id from updated`
  const rows = await executePrepared<{ id: number }>(db, statement)
  const stored = new Set(rows.map(({ id }) => id))
  return ids.map((id) => stored.has(id))
}

const attemptsAfter = ({ message: { attempts }, result: { state, isUncounted } }: RecordedMessage): number =>
  state === 'skipped' || isUncounted ? attempts : attempts + 1

/**
 * Why the messages of an email wait: the mail server limits, refuses or cannot serve this installation. The messages stay
 * queued, and a run tries again from time to time.
 */
export interface DeliveryHold {
  failure: Exclude<MailFailure, 'rejected' | 'deferred' | 'unreachable'>
  reason: MailCause
  /** The reply of the mail server, or the error of the connection. */
  reply: string
  /** ISO 8601. */
  since: string
  /** When the next run tries again, ISO 8601. */
  until: string
}

const MINUTE_MS = 60_000
/** The shortest and the longest time until the next try: a limit ends automatically, a refusal only after a change. */
const PAUSES_MS = {
  limited: [MINUTE_MS, 15 * MINUTE_MS],
  refused: [5 * MINUTE_MS, 360 * MINUTE_MS],
  misconfigured: [5 * MINUTE_MS, 60 * MINUTE_MS],
} as const satisfies Record<DeliveryHold['failure'], readonly [number, number]>

/**
 * Returns the hold after an error that stops sending. The next try is due after as long as sending has been stopped, so
 * that the pauses double.
 * @param previous the hold before the run; null if the run sent a message
 */
export function holdAfter(error: MailError, now: Date, previous: DeliveryHold | null): DeliveryHold {
  const failure = error.failure as DeliveryHold['failure']
  const since = previous?.failure === failure ? new Date(previous.since) : now
  const [shortest, longest] = PAUSES_MS[failure]
  const pause = Math.min(Math.max(now.getTime() - since.getTime(), shortest), longest)
  const until = new Date(now.getTime() + pause)
  return { failure, reason: error.reason, reply: error.message, since: since.toISOString(), until: until.toISOString() }
}

const PERIODS_MS = { minute: 60_000, hour: 3_600_000 } as const
type Period = keyof typeof PERIODS_MS

/** How long a limit that the mail server has shown applies. After that, more messages are tried. */
const LEARNED_MS = 3_600_000

const windowOf = (now: Date, period: Period) => Math.floor(now.getTime() / PERIODS_MS[period]) * PERIODS_MS[period]

/** How many messages may be sent now, and when the next ones may be sent; undefined: all may be sent now. */
interface Turns {
  allowed: number
  pausedUntil: Date | undefined
}

/**
 * Counts messages against the limits of the installation for the mail server, which all processes share: those of the
 * settings, and the one that the mail server has shown.
 */
export async function takeTurns(
  db: Kysely<Tables>,
  { mailLimits }: Services,
  now: Date,
  messages: number,
): Promise<Turns> {
  const turns: Turns = { allowed: messages, pausedUntil: undefined }
  // A message that must wait for the next hour uses up a place of the minute, which no message could use anyway.
  for (const period of ['minute', 'hour'] as const) {
    const limit = mailLimits[period]
    const { allowed } = turns
    // Limits are learned for a minute only.
    if (!allowed || (period === 'hour' && !limit)) continue
    const start = new Date(windowOf(now, period))
    // A learned limit makes a row; without a row and a setting, nothing is counted. Messages that are not allowed are
    // counted too, so that the number before follows from the number after.
    const { rows } = await sql<{ used: number; learned: number | null }>`
      insert into mail_pace as pace (period, window_start, used)
        select ${period}, ${start}::timestamptz, ${allowed}::int
          where ${limit}::int > 0 or exists (select from mail_pace where period = ${period} and learned_until > ${now})
      on conflict (period) do update
        set used = excluded.used + case when pace.window_start = excluded.window_start then pace.used else 0 end,
          window_start = excluded.window_start
      returning used, case when learned_until > ${now} then learned end as learned`.execute(db)
    if (!rows[0]) continue
    const { used, learned } = rows[0]
    const free = Math.min(limit || Number.POSITIVE_INFINITY, learned ?? Number.POSITIVE_INFINITY) - (used - allowed)
    if (free >= allowed) continue
    turns.allowed = Math.max(0, free)
    turns.pausedUntil = new Date(start.getTime() + PERIODS_MS[period])
  }
  return turns
}

/**
 * Remembers for an hour that the mail server took no more than the messages of an email in the last minute. The highest
 * such number of the hour applies, because other programs can use up a limit too.
 * @param emailId the email for which the mail server has shown its limit
 */
export async function learnLimit(db: Kysely<Tables>, emailId: number, now: Date): Promise<void> {
  const since = new Date(now.getTime() - PERIODS_MS.minute)
  const until = new Date(now.getTime() + LEARNED_MS)
  await sql`insert into mail_pace as pace (period, window_start, used, learned, learned_until)
    select 'minute', ${new Date(windowOf(now, 'minute'))}::timestamptz, count(*), count(*), ${until}::timestamptz
      from email_message where email_id = ${emailId} and state = 'sent' and sent_at > ${since}
      having count(*) > 0
    on conflict (period) do update
      set learned = greatest(excluded.learned, case when pace.learned_until > ${now} then pace.learned end), learned_until = excluded.learned_until`.execute(
    db,
  )
}
