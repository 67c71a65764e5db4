import { sql } from 'kysely'
import type { Context } from './context.ts'
import { problems } from './problem.ts'

const DAY_MS = 86_400_000
const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

/**
 * Counts messages against the actor's limit for the day of `sendAt` (UTC). Call it in the transaction that queues them.
 * @throws {Problem} `too_many_requests` if the messages would exceed the daily limit (`EMAILS_PER_DAY`)
 */
export async function reserveEmailQuota(
  { em, actor, now, services }: Context,
  messages: number,
  sendAt: Date,
): Promise<void> {
  const limit = services.limits.settings.emailsPerDay
  if (!limit) return
  const { rows } = await sql`
    insert into email_quota as q (account_id, day, messages) select ${actor.id}, ${dayOf(sendAt)}::date, ${messages}::bigint
    where ${messages}::bigint <= ${limit}::bigint
    on conflict (account_id, day) do update set messages = q.messages + excluded.messages
      where q.messages + excluded.messages <= ${limit}::bigint
    returning messages`.execute(em.getKysely())
  if (rows.length > 0) return
  const midnight = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS
  throw problems.tooManyRequests(
    `An account can send at most ${limit.toLocaleString('en')} messages a day. ${messages.toLocaleString('en')} more would exceed the limit on ${dayOf(sendAt)}.`,
    Math.ceil((midnight - now.getTime()) / 1000),
  )
}

/** Reverts {@link reserveEmailQuota} for messages that were not sent. */
export async function releaseEmailQuota(
  { em }: Context,
  accountId: number,
  messages: number,
  sendAt: Date,
): Promise<void> {
  await sql`update email_quota set messages = greatest(messages - ${messages}::bigint, 0)
    where account_id = ${accountId} and day = ${dayOf(sendAt)}::date`.execute(em.getKysely())
}
