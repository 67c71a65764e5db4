import { sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { type InviteStatus, inviteDeliveries, statusOfRow, withLatestResponses } from '../invitation/queries.ts'
import type { Tables } from '../tables.ts'
import type { MessageState } from './email.ts'
import { type EmailSummary, findEmail } from './queries.ts'

/** The state of the message to one recipient, and of its invitation. */
export interface MessageSummary {
  id: number
  /** Null when the contact no longer exists. */
  contactId: number | null
  name: string
  email: string
  state: MessageState
  /** Number of attempts to send the message so far. */
  attempts: number
  /** The error of the last attempt, or the reason of the bounce. */
  error: string | null
  /** When the next attempt is due; set only while the message is queued. */
  nextAt: Date | null
  sentAt: Date | null
  /** The status of the invitation. An earlier email may have sent the invitation. */
  status: InviteStatus
  viewedAt: Date | null
  bouncedAt: Date | null
  unsubscribedAt: Date | null
  completedAt: Date | null
  responseId: number | null
}

const time = (text: string | null | undefined): Date | null => (text ? new Date(text) : null)

/**
 * Returns the recipients of an email with the state of each, in the order in which they were added.
 * @returns the total number, and the requested slice
 * @throws {Problem} `email_not_found`, `forbidden`
 */
export async function listMessages(
  context: Context,
  emailId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; messages: MessageSummary[] }> {
  await findEmail(context, emailId)
  const all = context.em
    .getKysely<Tables>()
    .selectFrom('email_message')
    .leftJoin('contact', 'contact.id', 'email_message.contact_id')
    .where('email_id', '=', emailId)
    .where((eb) => eb.or([eb('contact_id', 'is not', null), eb('state', '!=', 'added')]))
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .select(['email_message.id', 'contact_id', 'invite_id', 'state', 'attempts', 'error', 'next_at', 'sent_at'])
    .select(['email_message.address', 'contact.name', 'contact.email'])
    .orderBy('email_message.id')
    .offset(offset)
    .limit(limit)
    .execute()
  const invites = await invitesOf(
    context,
    rows.flatMap(({ invite_id }) => invite_id ?? []),
  )
  const messages = rows.map((row) => {
    const invite = invites.get(row.invite_id ?? 0)
    const status = invite ? statusOfRow(invite) : ''
    return {
      id: row.id,
      contactId: row.contact_id,
      name: row.name ?? invite?.name ?? '',
      email: row.address ?? row.email ?? invite?.email ?? '',
      state: row.state,
      attempts: row.attempts,
      error: row.error,
      nextAt: time(row.next_at),
      sentAt: time(row.sent_at),
      status,
      viewedAt: time(invite?.viewed_at),
      bouncedAt: time(invite?.bounced_at),
      unsubscribedAt: time(invite?.unsubscribed_at),
      completedAt: status === 'Completed' ? time(invite?.answered_at) : null,
      responseId: invite?.response_id ?? null,
    }
  })
  return { total, messages }
}

async function invitesOf(context: Context, ids: readonly number[]) {
  if (!ids.length) return new Map<number, never>()
  const invites = await inviteDeliveries(context)
    .select(['invite.name', 'invite.email'])
    .where('invite.id', 'in', ids)
    .execute()
  const rows = await withLatestResponses(context, invites)
  return new Map(rows.map((row) => [row.id, row]))
}

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
