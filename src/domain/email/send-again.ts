import { forgetBounces } from '../contact/bounced-address.ts'
import type { Context } from '../context.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { enqueue } from '../jobs.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { lockEmail } from './queries.ts'

/**
 * Queues the messages of an email that failed or bounced again, to the present addresses of their recipients, and makes
 * a stopped email try again immediately. Mail to these addresses is permitted again. Call it inside a transaction.
 * @returns the number of messages that had failed
 * @throws {Problem} `email_not_found`, `forbidden`; `email_not_sent` for a draft; `too_many_requests`
 */
export async function sendAgain(context: Context, id: number): Promise<number> {
  const { em, now } = context
  const email = await lockEmail(context, id)
  if (email.status === 'draft') throw problems.emailNotSent()
  const db = em.getKysely<Tables>()
  const messages = await db
    .updateTable('email_message')
    .set({ state: 'queued', attempts: 0, next_at: now, run: null, handed_at: null })
    .where('email_id', '=', id)
    .where('state', 'in', ['failed', 'bounced'])
    .returning(['invite_id', 'contact_id'])
    .execute()
  const invites = messages.flatMap(({ invite_id }) => invite_id ?? [])
  if (invites.length) await db.updateTable('invite').set({ bounced_at: null }).where('id', 'in', invites).execute()
  if (!messages.length && !email.hold) return 0
  const contacts = messages.flatMap(({ contact_id }) => contact_id ?? [])
  const addresses = await db
    .selectFrom('contact')
    .select('email')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(contacts))))
    .execute()
  await forgetBounces(
    context,
    email.owner.id,
    addresses.map((contact) => contact.email),
  )
  if (messages.length) await reserveEmailQuota(context, messages.length, now)
  if (email.hold)
    await db
      .updateTable('email_message')
      .set({ next_at: now })
      .where('email_id', '=', id)
      .where('state', '=', 'queued')
      .execute()
  email.status = 'scheduled'
  email.updatedAt = now
  await em.flush()
  await enqueue(context, 'send-email', { email: id }, { group: String(email.owner.id) })
  return messages.length
}
