import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'

/** How many recipients of an email reached each step. Each step includes the later ones. */
export interface Funnel {
  recipients: number
  /** Messages that a mail server accepted, including those that bounced later. */
  sent: number
  /** Sent messages without a known bounce. */
  delivered: number
  bounced: number
  opened: number
  started: number
  completed: number
}

/**
 * Counts the recipients of an email by the steps of their invitations, in one query over the recipients. A reminder counts
 * the same invitations as the email that it reminds of.
 */
export async function funnelOf({ em }: Pick<Context, 'em'>, emailId: number): Promise<Funnel> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('email_message as message')
    .leftJoin('invite', 'invite.id', 'message.invite_id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('response')
          .select((one) => one.fn.max('response.completed').as('completed'))
          .whereRef('response.survey_id', '=', 'invite.survey_id')
          .whereRef('response.invite_code', '=', 'invite.code')
          .as('answer'),
      (join) => join.onTrue(),
    )
    .select([
      sql<number>`count(*)`.as('recipients'),
      sql<number>`count(*) filter (where message.sent_at is not null)`.as('sent'),
      sql<number>`count(*) filter (where message.state = 'sent')`.as('delivered'),
      sql<number>`count(*) filter (where message.state in ('bounced', 'failed'))`.as('bounced'),
      sql<number>`count(*) filter (where invite.viewed_at is not null or invite.used_on is not null
        or answer.completed is not null)`.as('opened'),
      sql<number>`count(*) filter (where answer.completed is not null or invite.used_on is not null)`.as('started'),
      sql<number>`count(*) filter (where answer.completed > 0 or invite.used_on is not null)`.as('completed'),
    ])
    .where('message.email_id', '=', emailId)
    .where((eb) => eb.or([eb('message.contact_id', 'is not', null), eb('message.state', '!=', 'added')]))
    .executeTakeFirstOrThrow()
  return row
}
