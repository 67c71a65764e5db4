import { type Kysely, sql } from 'kysely'
import type { MailCause, MailError, MailFailure } from '../../lib/mail-error.ts'
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
 * Claims the next message that is due. Its state becomes `sending`, and no other run claims it. From then on, the mail
 * server may have received the message.
 * @param now when the run began. Messages that were queued later are left to another run, because the content of the
 *   email may have changed.
 */
export async function claimNext(
  db: Kysely<Tables>,
  emailId: number,
  run: string,
  now: Date,
): Promise<ClaimedMessage | undefined> {
  const row = await db
    .with('claimed', (cte) =>
      cte
        .updateTable('email_message')
        .set({ state: 'sending', run, handed_at: now })
        .where('id', '=', (eb) =>
          eb
            .selectFrom('email_message')
            .select('id')
            .where('email_id', '=', emailId)
            .where('state', '=', 'queued')
            .where('next_at', '<=', sql<string>`${now}`)
            .orderBy('next_at')
            .orderBy('id')
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        .returning(['id', 'contact_id', 'invite_id', 'attempts']),
    )
    .selectFrom('claimed')
    .leftJoin('contact', 'contact.id', 'claimed.contact_id')
    .leftJoin('invite', 'invite.id', 'claimed.invite_id')
    .select(['claimed.id', 'claimed.invite_id', 'claimed.attempts', 'invite.code', 'contact.id as contact_id'])
    .select(['contact.name', 'contact.email', 'contact.custom'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('contact as same')
            .select('same.id')
            .whereRef('same.owner_id', '=', 'contact.owner_id')
            .where((one) => one(one.fn('lower', ['same.email']), '=', one.fn('lower', ['contact.email'])))
            .where('same.unsubscribed', '=', true),
        )
        .as('unsubscribed'),
    )
    .executeTakeFirst()
  if (!row) return undefined
  const { contact_id: id, name, email, unsubscribed, custom } = row
  const contact =
    id === null ? null : { id, name: name!, email: email!, unsubscribed: Boolean(unsubscribed), custom: custom! }
  return { id: row.id, inviteId: row.invite_id, code: row.code, attempts: row.attempts, contact }
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

/**
 * Stores the result of an attempt in the message and in its invitation, unless another run has claimed the message in
 * the meantime.
 */
export async function recordResult(
  db: Kysely<Tables>,
  { id, attempts }: ClaimedMessage,
  run: string,
  now: Date,
  { state, address, error, nextAt, isUncounted }: MessageResult,
): Promise<void> {
  const update = db.with('updated', (cte) =>
    cte
      .updateTable('email_message')
      .set({
        state,
        attempts: state === 'skipped' || isUncounted ? attempts : attempts + 1,
        error: error ?? null,
        handed_at: null,
        ...(nextAt && { next_at: nextAt }),
        ...(address !== undefined && { address }),
        ...(state === 'sent' && { sent_at: now }),
      })
      .where('id', '=', id)
      .where('run', '=', run)
      .where('state', '=', 'sending')
      .returning('invite_id'),
  )
  const invite = update.updateTable('invite').from('updated').whereRef('invite.id', '=', 'updated.invite_id')
  if (state === 'sent')
    await invite.set({ sent_at: sql<Date>`coalesce(invite.sent_at, ${now})`, bounced_at: null }).execute()
  else if (state === 'bounced' || state === 'failed') await invite.set({ bounced_at: now }).execute()
  else await update.selectFrom('updated').select('invite_id').execute()
}

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

/**
 * Counts a message against the limits of the installation for the mail server, which all processes share: those of the
 * settings, and the one that the mail server has shown.
 * @returns when the next message may be sent; undefined if the message may be sent now
 */
export async function takeTurn(db: Kysely<Tables>, { mailLimits }: Services, now: Date): Promise<Date | undefined> {
  // A message that must wait for the next hour uses up a place of the minute, which no message could use anyway.
  for (const period of ['minute', 'hour'] as const) {
    const limit = mailLimits[period]
    // Limits are learned for a minute only.
    if (period === 'hour' && !limit) continue
    const start = new Date(windowOf(now, period))
    // A learned limit makes a row; without a row and a setting, nothing is counted.
    const { rows } = await sql<{ allowed: boolean }>`
      with taken as (
        insert into mail_pace as pace (period, window_start, used)
        select ${period}, ${start}::timestamptz, 1
          where ${limit}::int > 0 or exists (select from mail_pace where period = ${period} and learned_until > ${now})
        on conflict (period) do update
          set used = case when pace.window_start = excluded.window_start then pace.used + 1 else 1 end,
            window_start = excluded.window_start
          where pace.window_start <> excluded.window_start
            or pace.used < least(nullif(${limit}::int, 0), case when pace.learned_until > ${now} then pace.learned end)
        returning 1)
      select exists (select from taken) or not (${limit}::int > 0
        or exists (select from mail_pace where period = ${period} and learned_until > ${now})) as allowed`.execute(db)
    if (!rows[0]!.allowed) return new Date(start.getTime() + PERIODS_MS[period])
  }
  return undefined
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
