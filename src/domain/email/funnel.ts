import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { EmailSummary } from './queries.ts'

/**
 * How many recipients of an email reached each step. `opened` includes all recipients who started the survey, and
 * `started` all who completed it.
 */
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
 * Counts the recipients of an email by the steps of their invitations. The recipients of a reminder have the
 * invitations of the original email. Uses two queries: one over the responses with an invite code, and one over the
 * recipients.
 */
export async function funnelOf(
  { em }: Pick<Context, 'em'>,
  { id, surveyId }: Pick<EmailSummary, 'id' | 'surveyId'>,
): Promise<Funnel> {
  const db = em.getKysely<Tables>()
  const answers = await db
    .selectFrom('response')
    .select((eb) => ['invite_code', eb.fn.max('completed').as('completed')])
    .where('survey_id', '=', surveyId)
    .where('invite_code', 'is not', null)
    .groupBy('invite_code')
    .execute()
  const codes = (least: number) =>
    answers.flatMap(({ invite_code, completed }) => (invite_code !== null && completed >= least ? [invite_code] : []))
  const started = sql`(invite.used_on is not null or invite.code = any(${codes(0)}::text[]))`
  const completed = sql`(invite.used_on is not null or invite.code = any(${codes(1)}::text[]))`
  return db
    .selectFrom('email_message as message')
    .leftJoin('invite', 'invite.id', 'message.invite_id')
    .select([
      sql<number>`count(*)`.as('recipients'),
      sql<number>`count(*) filter (where message.sent_at is not null)`.as('sent'),
      sql<number>`count(*) filter (where message.state = 'sent')`.as('delivered'),
      sql<number>`count(*) filter (where message.state in ('bounced', 'failed'))`.as('bounced'),
      sql<number>`count(*) filter (where invite.viewed_at is not null or ${started})`.as('opened'),
      sql<number>`count(*) filter (where ${started})`.as('started'),
      sql<number>`count(*) filter (where ${completed})`.as('completed'),
    ])
    .where('message.email_id', '=', id)
    .where((eb) => eb.or([eb('message.contact_id', 'is not', null), eb('message.state', '!=', 'added')]))
    .executeTakeFirstOrThrow()
}
