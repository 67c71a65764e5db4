import { randomUUID } from 'node:crypto'
import type { PublicContext } from '../context.ts'
import { enqueue } from '../job.ts'
import type { Tables } from '../tables.ts'

export interface Notice {
  subject: string
  /** Plain text. */
  text: string
}

/** Tells the owner of an account something by e-mail, once the caller's transaction commits. */
export async function notifyOwner(context: PublicContext, accountId: number, notice: Notice): Promise<void> {
  await enqueue(context, 'send-notice', { account: accountId, ...notice, reference: randomUUID() })
}

/** Sends a notice. Tried again, it has the same Message-ID. @throws {MailError} when it is not taken */
export async function sendNotice(
  { em, now, site }: PublicContext,
  { account, subject, text, reference }: Notice & { account: number; reference: string },
): Promise<void> {
  const owner = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select(['name', 'username', 'email'])
    .where('id', '=', account)
    .executeTakeFirst()
  if (!owner) return
  const { hostname } = new URL(site.baseUrl)
  await site.mailer.send({
    messageId: `<${reference}@${hostname}>`,
    date: now,
    from: { name: 'Canvass', address: `no-reply@${hostname}` },
    to: { name: owner.name || owner.username, address: owner.email },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
