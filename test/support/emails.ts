import type { ContactSelection } from '../../src/domain/contact/members.ts'
import { createEmail } from '../../src/domain/email/commands.ts'
import type { EmailDraft } from '../../src/domain/email/email.ts'
import { summariseEmail } from '../../src/domain/email/queries.ts'
import { addRecipients } from '../../src/domain/email/recipients.ts'
import { sendEmail } from '../../src/domain/email/send.ts'
import type { Person } from './world.ts'

const DRAFT = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }

/** Creates a draft email with recipients. @returns its ID */
export const createDraft = (
  author: Person,
  survey: number,
  recipients: readonly ContactSelection[],
  fields: Partial<EmailDraft> = {},
): Promise<number> =>
  author.act(async (context) => {
    const { id } = await createEmail(context, { survey }, { ...DRAFT, ...fields })
    for (const selection of recipients) await addRecipients(context, id, selection)
    return id
  })

/** Schedules a draft email for immediate sending. */
export const sendDraft = (author: Person, id: number) => author.act((context) => sendEmail(context, id))

/** Returns the status and the progress of an email. */
export const emailProgress = (author: Person, id: number) =>
  author.act(async (context) => {
    const { status, recipients, sent, failed, skipped } = await summariseEmail(context, id)
    return { status, recipients, sent, failed, skipped }
  })

/** Returns the notification of a mail server that a message was not delivered (RFC 3464). */
export const bounceNotification = (to: string, status = '5.1.1', action = 'failed', returned = '') =>
  [
    'From: MAILER-DAEMON@mx.example.net',
    `To: ${to}`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    'Final-Recipient: rfc822; somebody@example.net',
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${status[0]}50 ${status} <somebody@example.net> text of the server`,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    returned,
    '--b--',
    '',
  ].join('\r\n')
