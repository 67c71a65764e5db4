import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type BounceReport, MAX_BOUNCE_BYTES, readBounce } from '../../lib/bounce-message.ts'
import { endsAddress } from '../../lib/mail-error.ts'
import { rememberBounce } from '../contact/bounced-address.ts'
import { unsubscribeAddresses } from '../contact/unsubscribed-address.ts'
import type { Context, PublicContext } from '../context.ts'
import { readEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { MessageState } from './email.ts'
import { claimsIn, type MessageClaim, messageOf } from './message-id.ts'
import { unsubscribe } from './unsubscribe.ts'

/**
 * `hard`: the address accepts no mail; `soft`: the address accepts no mail for now; `complaint`: the recipient reported
 * the message as spam.
 */
export type BounceType = 'hard' | 'soft' | 'complaint'

/** A report of a mail provider about a message that it had accepted. */
export interface ProviderReport {
  type: BounceType
  /** The Message-ID; absent: the newest message to the recipient. */
  messageId?: string | undefined
  recipient?: string | undefined
  reason?: string | undefined
}

/** A message that left this service. */
interface SentMessage {
  id: number
  state: MessageState
  invite_id: number | null
  contact_id: number | null
  /** The account that sent the email. */
  owner_id: number
  address: string | null
}

const messagesIn = (db: Kysely<Tables>) =>
  db
    .selectFrom('email_message')
    .innerJoin('email', 'email.id', 'email_message.email_id')
    .select(['email_message.id', 'email_message.state', 'email_message.invite_id', 'email_message.contact_id'])
    .select(['email_message.address', 'email.owner_id'])

/**
 * Records a bounce report. After a hard bounce, the message and its invitation have the status bounced, and the address
 * gets no more email of the account until its owner permits it. A complaint unsubscribes the address from all email of
 * the account. A soft bounce changes nothing, because the provider tries again.
 * @throws {Problem} `invalid_request` if the report names neither a message nor a recipient; `message_not_found`
 */
export async function recordBounce(
  context: Context,
  { type, messageId, recipient, reason }: ProviderReport,
): Promise<void> {
  const { em, actor, services } = context
  if (messageId === undefined && recipient === undefined)
    throw problems.invalidField('recipient', 'required', {}, 'is required if message_id is absent')
  let query = messagesIn(em.getKysely<Tables>())
    .where('email.owner_id', '=', actor.id)
    .where('email_message.state', 'in', ['sent', 'bounced'])
  if (messageId !== undefined) query = query.where('email_message.id', '=', messageOf(services, messageId) ?? 0)
  if (recipient !== undefined)
    query = query.where((eb) =>
      eb(eb.fn<string>('lower', ['email_message.address']), '=', readEmailAddress(recipient).toLowerCase()),
    )
  const message = await query.orderBy('email_message.id', 'desc').limit(1).executeTakeFirst()
  if (!message) throw problems.messageNotFound()
  if (type === 'complaint') await recordComplaint(context, message)
  if (type === 'hard') await endMessage(context, message, 'bounced', reason ?? 'bounced')
}

/**
 * What became of a message to the bounce address. `foreign`: it is not about a message of this service. `early`: its
 * message is still being sent, so that it must come again. `ignored`: nothing is known to have failed.
 */
export type ReturnResult = 'foreign' | 'early' | 'ignored' | 'bounced' | 'failed' | 'complaint'

/** How often, and at which interval in milliseconds, the result of sending a message is looked for. */
const RESULT_LOOKS = 50
const RESULT_POLL_MS = 100

/**
 * Records what a message to the bounce address says: a delivery status notification, or a report without a standard form.
 * Who is concerned is known from the return path or the Message-ID, which are signed. If an address does not exist, the
 * result is the same as if the mail server had rejected the recipient. A message that was not delivered for another
 * reason has failed. All other messages change nothing.
 * @param recipients to whom the message was sent, if that is known
 */
export async function recordReturnedMail(
  context: PublicContext,
  source: Uint8Array,
  recipients: readonly string[] = [],
): Promise<ReturnResult> {
  const text = Buffer.from(source.subarray(0, MAX_BOUNCE_BYTES)).toString('latin1')
  const claims = claimsIn(context.services, `${recipients.map((address) => `<${address}>`).join('\n')}\n${text}`)
  if (!claims.length) return 'foreign'
  const report = await readBounce(source)
  if (report.kind === 'delayed' || report.kind === 'other') return 'ignored'
  for (const claim of claims) {
    const message = await findClaimed(context, claim)
    if (message) return message.state === 'sending' ? 'early' : recordReport(context, message, report)
  }
  return 'ignored'
}

/** Finds the message of a claim. If it is still being sent, waits for the result. */
async function findClaimed({ em }: PublicContext, { id, isFor }: MessageClaim): Promise<SentMessage | undefined> {
  for (let looks = 1; ; looks += 1) {
    const row = await messagesIn(em.getKysely<Tables>())
      .leftJoin('contact', 'contact.id', 'email_message.contact_id')
      .select('contact.email')
      .where('email_message.id', '=', id)
      .executeTakeFirst()
    if (!row) return undefined
    const { email, ...message } = row
    // The address is recorded with the result.
    const address = message.state === 'sending' ? email : message.address
    if (address === null || !isFor(address)) return undefined
    if (message.state !== 'sending' || looks >= RESULT_LOOKS) return { ...message, address }
    await pause(RESULT_POLL_MS)
  }
}

async function recordReport(
  context: PublicContext,
  message: SentMessage,
  report: Exclude<BounceReport, { kind: 'delayed' | 'other' }>,
): Promise<ReturnResult> {
  return context.em.transactional(async (em) => {
    const inTransaction = { ...context, em }
    if (report.kind === 'complaint') {
      await recordComplaint(inTransaction, message)
      return 'complaint'
    }
    if (report.kind !== 'failed') return 'ignored'
    const state = endsAddress(report.reply) ? 'bounced' : 'failed'
    await endMessage(inTransaction, message, state, report.reply)
    return state
  })
}

async function recordComplaint(context: PublicContext, { contact_id, owner_id, address }: SentMessage): Promise<void> {
  if (contact_id !== null) await unsubscribe(context, { contactId: contact_id })
  if (address !== null) await unsubscribeAddresses(context, owner_id, [address], context.now)
}

/** Ends a message that came back. A message that is queued again since then is not changed. */
async function endMessage(
  context: PublicContext,
  { id, owner_id, address }: SentMessage,
  state: 'bounced' | 'failed',
  reply: string,
): Promise<void> {
  const { em, now } = context
  if (state === 'bounced' && address !== null) await rememberBounce(context, owner_id, address, reply)
  await em
    .getKysely<Tables>()
    .with('ended', (cte) =>
      cte
        .updateTable('email_message')
        .set({ state, error: reply.slice(0, 500) })
        .where('id', '=', id)
        .where('state', 'in', state === 'bounced' ? ['sent', 'failed', 'bounced'] : ['sent'])
        .returning('invite_id'),
    )
    .updateTable('invite')
    .from('ended')
    .set({ bounced_at: now })
    .whereRef('invite.id', '=', 'ended.invite_id')
    .execute()
}
