import { randomUUID } from 'node:crypto'
import { fillPlaceholders } from '../lib/placeholders.ts'
import { byLanguage } from '../lib/texts.ts'
import type english from '../texts/en/emails.json'
import type { PublicContext } from './context.ts'
import { enqueue, type JobPayloads } from './jobs.ts'
import type { Tables } from './tables.ts'

/** An email from the service to the owner of an account. */
export interface SystemEmail {
  name: SystemEmailName
  /** In addition to `username`. */
  values: Readonly<Record<string, string>>
  /** The address of the recipient; absent: the address of the account at the time of sending. */
  to?: string | undefined
  /** The name of the recipient; absent: that of the account. */
  toName?: string
}

/**
 * Queues a system email to the owner of an account, in the language that the owner chose for the pages. It is sent
 * after the caller's transaction commits.
 */
export async function notifyOwner(
  context: PublicContext,
  accountId: number,
  { to, toName, name, values }: SystemEmail,
): Promise<void> {
  const account = await context.em
    .getKysely<Tables>()
    .selectFrom('account')
    .select(['language', 'username'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  await enqueue(context, 'send-system-email', {
    account: accountId,
    ...systemEmailText(account?.language, name, { username: account?.username ?? '', ...values }),
    ...(to && { to }),
    ...(toName !== undefined && { toName }),
    reference: randomUUID(),
  })
}

/**
 * Sends a system email. Retries have the same Message-ID.
 * @throws {MailError} if the mail server does not accept the message or cannot be reached
 */
export async function sendSystemEmail(
  { em, now, services }: PublicContext,
  { account, subject, text, to, toName, reference }: JobPayloads['send-system-email'],
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
    to: { name: toName ?? (owner.name || owner.username), address: to ?? owner.email },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

/** The subject and the plain text of an email from the service to the owner of an account. */
interface EmailTexts {
  subject: string
  text: string
}

export type SystemEmailName = keyof typeof english

/** The texts by language. Each language is complete. */
export const systemEmailLanguages = byLanguage<Readonly<Record<SystemEmailName, EmailTexts>>>('emails.json')

/**
 * Returns an email in the language that the account has chosen. If the account has not chosen a language, returns the
 * email in English, because the language of the browser is not stored.
 * @param values replace the placeholders
 */
function systemEmailText(
  language: string | null | undefined,
  name: SystemEmailName,
  values: Readonly<Record<string, string>>,
): EmailTexts {
  const { subject, text } = (systemEmailLanguages[language ?? 'en'] ?? systemEmailLanguages.en!)[name]
  return { subject, text: fillPlaceholders(text, values) }
}
