import { type RawBuilder, sql } from 'kysely'

/** The minimum time between two emails to an account about new responses to the same survey. */
export const EMAIL_INTERVAL_MS = 600_000

/** The hour of daily emails in the time zone of the account, or in UTC if the account has no time zone. */
export const DAILY_HOUR = 7

/** Returns an expression for the time of the next daily email to an account. */
export const nextDailyEmail = (accountId: number, now: Date): RawBuilder<Date> =>
  sql`(select (date_trunc('day', ${now}::timestamptz at time zone zone.name - ${DAILY_HOUR}::integer * interval '1 hour')
      + interval '1 day' + ${DAILY_HOUR}::integer * interval '1 hour') at time zone zone.name
    from (select coalesce(time_zone, 'UTC') as name from account where id = ${accountId}) as zone)`
