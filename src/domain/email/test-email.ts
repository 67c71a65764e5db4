import { randomUUID } from 'node:crypto'
import type { MailMessage } from '../../lib/mailer.ts'
import type { Context, PublicContext } from '../context.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { enqueue } from '../enqueue.ts'
import { hostOf, sampleEmail } from './preview.ts'
import { findEmail } from './queries.ts'

/**
 * Sends an email to the actor after the commit, as a recipient would get it, with the name of the actor. Its links
 * contain no valid invite code.
 * @throws {Problem} `email_not_found`, `forbidden`, `too_many_requests`
 */
export async function enqueueTestEmail(context: Context, emailId: number): Promise<void> {
  const { actor } = context
  const { subject, sender, message, survey } = await findEmail(context, emailId)
  const messageId = `<${randomUUID()}@${hostOf(context)}>`
  const person = { name: actor.name || actor.username, email: actor.email, custom: {} }
  const test = await sampleEmail(context, { surveyId: survey.id, subject, sender, message }, person, messageId)
  await reserveEmailQuota(context, 1, context.now)
  await enqueue(context, 'send-test-email', {
    message: { ...test, subject: `[Test] ${test.subject}`, date: test.date.toISOString() },
  })
}

/**
 * Sends a test message. A retry has the same Message-ID.
 * @throws {MailError} when the mail server does not accept the message
 */
export async function sendTestEmail(
  { services }: PublicContext,
  { date, ...message }: Omit<MailMessage, 'date'> & { date: string },
): Promise<void> {
  await services.mailer.send({ ...message, date: new Date(date) })
}
