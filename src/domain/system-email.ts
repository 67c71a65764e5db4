import { randomUUID } from 'node:crypto'
import type { PublicContext } from './context.ts'
import { enqueue, type JobPayloads } from './jobs.ts'
import type { Tables } from './tables.ts'

/** An email from the service to the owner of an account. */
export interface SystemEmail {
  name: SystemEmailName
  values: Readonly<Record<string, string>>
  /** The address of the recipient; absent: the address of the account at the time of sending. */
  to?: string | undefined
}

/**
 * Queues a system email to the owner of an account, in the language that the owner chose for the pages. It is sent
 * after the caller's transaction commits.
 */
export async function notifyOwner(
  context: PublicContext,
  accountId: number,
  { to, name, values }: SystemEmail,
): Promise<void> {
  const account = await context.em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('language')
    .where('id', '=', accountId)
    .executeTakeFirst()
  await enqueue(context, 'send-system-email', {
    account: accountId,
    ...systemEmailText(account?.language, name, values),
    ...(to && { to }),
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

const en = {
  email_change_requested: {
    subject: 'Request to change your email address',
    text: `We received a request to change the email address of the account {username} to {email}. It takes effect when the new address is confirmed.

If you did not request this, change your password. This cancels the request:
{url}
`,
  },
  email_changed: {
    subject: 'Your email address was changed',
    text: `The email address of the account {username} was changed to {email}. Messages about the account no longer go to this address.

If you did not request this, contact the administrator of this server:
{url}
`,
  },
  email_confirmation: {
    subject: 'Confirm your email address',
    text: `Confirm this email address for the account {username}. The link expires in 24 hours:

{url}

If you did not request this, ignore this email. The address will not be used.
`,
  },
  password_changed: {
    subject: 'Your password was changed',
    text: `The password for the account {username} was changed.

If you did not change it, reset your password now:
{url}
`,
  },
  password_reset: {
    subject: 'Reset your password',
    text: `We received a request to reset the password for the account {username}.

Choose a new password using this link. It expires in one hour:
{url}

If you did not request this, ignore this email. Your password will not change.
`,
  },
  storage_nearly_full: {
    subject: 'Your space for files is nearly full',
    text: `The uploaded files of your surveys use {used} MB of {max} MB. When the space is full, respondents can no longer upload files.

Delete responses or surveys that you no longer need. If strangers send files to a survey, close it or set a password:
{url}
`,
  },
  webhook_disabled: {
    subject: 'Webhook disabled',
    text: `We have disabled this webhook because deliveries to it failed for three days:

Event: {event}
URL: {url}

Every attempt to deliver a message failed. Last error: {error}.

To enable it, redeliver one of its messages or create the webhook again.
`,
  },
  webhook_disabled_by_status: {
    subject: 'Webhook disabled',
    text: `We have disabled this webhook because deliveries to it failed for three days:

Event: {event}
URL: {url}

Every attempt to deliver a message failed. Last error: HTTP status {error}.

To enable it, redeliver one of its messages or create the webhook again.
`,
  },
} as const satisfies Record<string, EmailTexts>

export type SystemEmailName = keyof typeof en

const de: Readonly<Record<SystemEmailName, EmailTexts>> = {
  email_change_requested: {
    subject: 'Änderung Ihrer E-Mail-Adresse angefordert',
    text: `Wir haben eine Anfrage erhalten, die E-Mail-Adresse des Kontos {username} in {email} zu ändern. Die Änderung gilt, sobald die neue Adresse bestätigt ist.

Wenn Sie dies nicht angefordert haben, ändern Sie Ihr Passwort. Damit brechen Sie die Änderung ab:
{url}
`,
  },
  email_changed: {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    text: `Die E-Mail-Adresse des Kontos {username} wurde in {email} geändert. Nachrichten zu diesem Konto gehen nicht mehr an diese Adresse.

Wenn Sie dies nicht angefordert haben, wenden Sie sich an die Administration dieses Servers:
{url}
`,
  },
  email_confirmation: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: `Bestätigen Sie diese E-Mail-Adresse für das Konto {username}. Der Link gilt 24 Stunden:

{url}

Wenn Sie dies nicht angefordert haben, ignorieren Sie diese E-Mail. Die Adresse wird dann nicht verwendet.
`,
  },
  password_changed: {
    subject: 'Ihr Passwort wurde geändert',
    text: `Das Passwort des Kontos {username} wurde geändert.

Wenn Sie es nicht geändert haben, setzen Sie Ihr Passwort jetzt zurück:
{url}
`,
  },
  password_reset: {
    subject: 'Passwort zurücksetzen',
    text: `Wir haben eine Anfrage erhalten, das Passwort des Kontos {username} zurückzusetzen.

Legen Sie mit diesem Link ein neues Passwort fest. Er gilt eine Stunde:
{url}

Wenn Sie dies nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt gleich.
`,
  },
  storage_nearly_full: {
    subject: 'Ihr Speicherplatz für Dateien ist fast voll',
    text: `Die hochgeladenen Dateien Ihrer Umfragen belegen {used} MB von {max} MB. Wenn der Platz voll ist, können Befragte keine Dateien mehr hochladen.

Löschen Sie Antworten oder Umfragen, die Sie nicht mehr brauchen. Wenn Fremde Dateien an eine Umfrage senden, schließen Sie die Umfrage oder setzen Sie ein Passwort:
{url}
`,
  },
  webhook_disabled: {
    subject: 'Webhook deaktiviert',
    text: `Wir haben diesen Webhook deaktiviert, weil Zustellungen drei Tage lang fehlgeschlagen sind:

Ereignis: {event}
URL: {url}

Jeder Versuch, eine Nachricht zuzustellen, ist fehlgeschlagen. Letzter Fehler: {error}.

Um ihn zu aktivieren, stellen Sie eine seiner Nachrichten erneut zu, oder legen Sie den Webhook neu an.
`,
  },
  webhook_disabled_by_status: {
    subject: 'Webhook deaktiviert',
    text: `Wir haben diesen Webhook deaktiviert, weil Zustellungen drei Tage lang fehlgeschlagen sind:

Ereignis: {event}
URL: {url}

Jeder Versuch, eine Nachricht zuzustellen, ist fehlgeschlagen. Letzter Fehler: HTTP-Status {error}.

Um ihn zu aktivieren, stellen Sie eine seiner Nachrichten erneut zu, oder legen Sie den Webhook neu an.
`,
  },
}

/** The texts by language. Each language is complete. */
export const systemEmailLanguages: Readonly<Record<string, Readonly<Record<SystemEmailName, EmailTexts>>>> = { en, de }

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
  const { subject, text } = (systemEmailLanguages[language ?? 'en'] ?? en)[name]
  return { subject, text: text.replace(/\{(\w+)\}/g, (placeholder, value: string) => values[value] ?? placeholder) }
}
