import type { Context } from '../context.ts'
import { releaseEmailQuota } from '../email-quota.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { lockEmail } from './queries.ts'

/**
 * Cancels a scheduled email of which no message was sent. The email becomes a draft again and keeps its recipients and
 * their invite codes. Call it inside a transaction.
 * @throws {Problem} `email_not_found`; `email_sent` when the mail server may have received a message
 */
export async function unscheduleEmail(context: Context, id: number): Promise<void> {
  const email = await lockEmail(context, id)
  if (email.status === 'sent') throw problems.emailSent()
  const db = context.em.getKysely<Tables>()
  // If a run has claimed a message, the state of the message does not change, because the mail server may have received
  // the message (claim.ts).
  const { numUpdatedRows: returned } = await db
    .updateTable('email_message')
    .set({ state: 'added', next_at: null, run: null })
    .where('email_id', '=', id)
    .where('state', 'in', ['queued', 'skipped'])
    .where('handed_at', 'is', null)
    .where('attempts', '=', 0)
    .executeTakeFirstOrThrow()
  const left = await db
    .selectFrom('email_message')
    .select('id')
    .where('email_id', '=', id)
    .where('state', '!=', 'added')
    .limit(1)
    .executeTakeFirst()
  if (left) throw problems.emailSent()
  if (email.scheduledAt) await releaseEmailQuota(context, email.owner.id, Number(returned), email.scheduledAt)
  email.status = 'draft'
  email.scheduledAt = null
  email.footer = null
  email.nextReminderAt = null
  email.hold = null
  email.updatedAt = context.now
  await context.em.flush()
}
