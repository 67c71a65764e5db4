import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { messageOf } from './message-id.ts'
import { unsubscribe } from './unsubscribe.ts'

/** `hard`: the address takes no mail; `soft`: not now; `complaint`: the recipient called it unwanted. */
export type BounceType = 'hard' | 'soft' | 'complaint'

/** What a mail provider tells of a message that it took. */
export interface BounceReport {
  type: BounceType
  /** Of the message; absent: the newest one to the recipient is meant. */
  messageId?: string | undefined
  recipient?: string | undefined
  reason?: string | undefined
}

/**
 * Takes in what a mail provider tells. After a hard bounce the message and its invitation count as bounced; a complaint
 * takes the address off all mail of the account as well; a soft one changes nothing, since the provider tries on.
 * @throws {Problem} `invalid_request` when it names neither a message nor a recipient; `message_not_found`
 */
export async function takeBounce(
  context: Context,
  { type, messageId, recipient, reason }: BounceReport,
): Promise<void> {
  const { em, actor, now, services } = context
  if (messageId === undefined && recipient === undefined)
    throw problems.invalidField('recipient', 'required', {}, 'or message_id is required')
  const db = em.getKysely<Tables>()
  let query = db
    .selectFrom('email_message')
    .innerJoin('email', 'email.id', 'email_message.email_id')
    .select(['email_message.id', 'email_message.invite_id', 'email_message.contact_id'])
    .where('email.owner_id', '=', actor.id)
    .where('email_message.state', 'in', ['sent', 'bounced'])
  if (messageId !== undefined) query = query.where('email_message.id', '=', messageOf(services, messageId) ?? 0)
  if (recipient !== undefined)
    query = query.where((eb) =>
      eb(eb.fn<string>('lower', ['email_message.address']), '=', recipient.trim().toLowerCase()),
    )
  const message = await query.orderBy('email_message.id', 'desc').limit(1).executeTakeFirst()
  if (!message) throw problems.messageNotFound()
  if (type === 'soft') return
  if (type === 'complaint' && message.contact_id !== null) await unsubscribe(context, message.contact_id)
  if (type === 'complaint') return
  await db
    .updateTable('email_message')
    .set({ state: 'bounced', error: reason?.slice(0, 500) ?? 'bounced' })
    .where('id', '=', message.id)
    .execute()
  if (message.invite_id !== null)
    await db.updateTable('invite').set({ bounced_at: now }).where('id', '=', message.invite_id).execute()
}
