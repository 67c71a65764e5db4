import { randomUUID } from 'node:crypto'
import type { PublicContext } from './context.ts'
import { enqueue } from './enqueue.ts'
import type { Tables } from './tables.ts'

export interface SystemEmail {
  subject: string
  /** Plain text. */
  text: string
  /** Absent: the address of the account at the time it is sent. */
  to?: string | undefined
}

/** Tells the owner of an account something by e-mail, once the caller's transaction commits. */
export async function notifyOwner(context: PublicContext, accountId: number, notice: SystemEmail): Promise<void> {
  const { to, ...said } = notice
  await enqueue(context, 'send-system-email', {
    account: accountId,
    ...said,
    ...(to && { to }),
    reference: randomUUID(),
  })
}

/** Sends a notice. Tried again, it has the same Message-ID. @throws {MailError} when it is not taken */
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
