import { randomUUID } from 'node:crypto'
import type { PublicContext } from './context.ts'
import { enqueue } from './enqueue.ts'
import type { Tables } from './tables.ts'

/** An e-mail from the service to the owner of an account. */
export interface SystemEmail {
  subject: string
  /** Plain text. */
  text: string
  /** Absent: the address of the account at the time of sending. */
  to?: string | undefined
}

/** Queues a system e-mail to the owner of an account. It is sent after the commit of the transaction of the caller. */
export async function notifyOwner(context: PublicContext, accountId: number, notice: SystemEmail): Promise<void> {
  const { to, ...said } = notice
  await enqueue(context, 'send-system-email', {
    account: accountId,
    ...said,
    ...(to && { to }),
    reference: randomUUID(),
  })
}

/**
 * Sends a system e-mail. Retries have the same Message-ID.
 * @throws {MailError} when the mail server rejects it
 */
export async function sendSystemEmail(
  { em, now, services }: PublicContext,
  { account, subject, text, to, reference }: SystemEmail & { account: number; reference: string },
): Promise<void> {
  const owner = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select(['name', 'username', 'email'])
    .where('id', '=', account)
    .executeTakeFirst()
  if (!owner) return
  const { hostname } = new URL(services.baseUrl)
  await services.mailer.send({
    messageId: `<${reference}@${hostname}>`,
    date: now,
    from: services.mailFrom,
    to: { name: owner.name || owner.username, address: to ?? owner.email },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
