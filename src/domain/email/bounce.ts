import { unsubscribeAddresses } from '../contact/unsubscribed-address.ts'
import type { Context } from '../context.ts'
import { readEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { messageOf } from './message-id.ts'
import { unsubscribe } from './unsubscribe.ts'

/**
 * `hard`: the address accepts no mail; `soft`: the address accepts no mail for now; `complaint`: the recipient reported
 * the message as spam.
 */
export type BounceType = 'hard' | 'soft' | 'complaint'

/** A report of a mail provider about a message that it had accepted. */
export interface BounceReport {
  type: BounceType
  /** The Message-ID; absent: the newest message to the recipient. */
  messageId?: string | undefined
  recipient?: string | undefined
  reason?: string | undefined
}

/**
 * Records a bounce report. After a hard bounce, the message and its invitation have the status bounced. A complaint
 * unsubscribes the address from all email of the account. A soft bounce changes nothing, because the provider tries
 * again.
 * @throws {Problem} `invalid_request` if the report names neither a message nor a recipient; `message_not_found`
 */
export async function recordBounce(
  context: Context,
  { type, messageId, recipient, reason }: BounceReport,
): Promise<void> {
  const { em, actor, now, services } = context
  if (messageId === undefined && recipient === undefined)
    throw problems.invalidField('recipient', 'required', {}, 'is required if message_id is absent')
  const db = em.getKysely<Tables>()
  let query = db
    .selectFrom('email_message')
    .innerJoin('email', 'email.id', 'email_message.email_id')
    .select(['email_message.id', 'email_message.invite_id', 'email_message.contact_id', 'email_message.address'])
    .where('email.owner_id', '=', actor.id)
    .where('email_message.state', 'in', ['sent', 'bounced'])
  if (messageId !== undefined) query = query.where('email_message.id', '=', messageOf(services, messageId) ?? 0)
  if (recipient !== undefined)
    query = query.where((eb) =>
      eb(eb.fn<string>('lower', ['email_message.address']), '=', readEmailAddress(recipient).toLowerCase()),
    )
  const message = await query.orderBy('email_message.id', 'desc').limit(1).executeTakeFirst()
  if (!message) throw problems.messageNotFound()
  if (type === 'soft') return
  if (type === 'complaint') {
    if (message.contact_id !== null) await unsubscribe(context, { contactId: message.contact_id })
    if (message.address !== null) await unsubscribeAddresses(context, actor.id, [message.address], now)
    return
  }
  await db
    .updateTable('email_message')
    .set({ state: 'bounced', error: reason?.slice(0, 500) ?? 'bounced' })
    .where('id', '=', message.id)
    .execute()
  if (message.invite_id !== null)
    await db.updateTable('invite').set({ bounced_at: now }).where('id', '=', message.invite_id).execute()
}
