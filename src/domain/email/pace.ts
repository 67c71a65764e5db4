import { type Kysely, sql } from 'kysely'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'

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
