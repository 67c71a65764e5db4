import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Located } from '../survey/address.ts'
import type { Tables } from '../tables.ts'

/** The end of a member of a form body with this value, or with a value that ends so. */
const formValue = (value: string) => `${new URLSearchParams([['', value]]).toString().slice(1)}&`

/**
 * Deletes the messages to the actor's webhooks, sent or waiting, that are about a person: those in which a member or an
 * answer is exactly the e-mail address, in any case. Call it inside a transaction.
 * @returns how many
 */
export async function forgetDeliveriesAbout({ em, actor }: Context, email: string): Promise<number> {
  const { numDeletedRows } = await em
    .getKysely<Tables>()
    .deleteFrom('webhook_delivery')
    .where('webhook_id', 'in', (eb) => eb.selectFrom('webhook').select('id').where('account_id', '=', actor.id))
    .where((eb) =>
      eb.or([
        sql<boolean>`strpos(lower(body || '&'), lower(${`=${formValue(email)}`})) > 0`,
        sql<boolean>`strpos(lower(facts::text), lower(${JSON.stringify(email)})) > 0`,
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Takes the identity of respondents out of what is kept for the webhooks of an account about a survey: what waits is sent
 * without it, and the log of what was sent goes. Call it inside a transaction.
 */
export async function anonymizeDeliveries(
  db: Kysely<Tables>,
  { id, ownerId, username, slug }: Located & { id: number; ownerId: number },
): Promise<void> {
  const own = sql`webhook_id in (select webhook.id from webhook where account_id = ${ownerId}) and event = 'response_complete'`
  const survey = formValue(`/surveys/${username}/${slug}/`)
  await sql`delete from webhook_delivery where ${own} and facts is null and strpos(body || '&', ${survey}) > 0`.execute(
    db,
  )
  await sql`update webhook_delivery set body = null, created_at = date_trunc('hour', created_at, 'UTC'),
      facts = facts || jsonb_build_object('referrer', null, 'invite_email', null, 'invite_name', null,
        'created_at', date_trunc('hour', (facts->>'created_at')::timestamptz, 'UTC'),
        'updated_at', date_trunc('hour', (facts->>'updated_at')::timestamptz, 'UTC'))
    where ${own} and (facts->>'survey_id')::bigint = ${id}`.execute(db)
}
