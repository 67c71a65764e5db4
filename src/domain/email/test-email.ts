import { randomUUID } from 'node:crypto'
import type { MailMessage } from '../../lib/mailer.ts'
import type { Context, PublicContext } from '../context.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { enqueue } from '../jobs.ts'
import { findMailTheme } from './mail-theme.ts'
import { hostOf, sampleEmail } from './preview.ts'
import { findEmail } from './queries.ts'
import { assertMailServer } from './send.ts'

/**
 * Sends the actor a test of an email after the commit. The message is the one that a recipient with the name and the
 * address of the actor would get, but its subject begins with `[Test]`, and its links contain no valid invite code.
 * @throws {Problem} `email_not_found`, `forbidden`, `too_many_requests`; `invalid_request` without a mail server
 */
export async function enqueueTestEmail(context: Context, emailId: number): Promise<void> {
  const { actor } = context
  assertMailServer(context)
  const { subject, sender, replyTo, message, survey } = await findEmail(context, emailId)
  const messageId = `<${randomUUID()}@${hostOf(context)}>`
  const person = { name: actor.name || actor.username, email: actor.email, custom: {} }
  // Images are not part of the job, to keep its payload small. They are read again when the message is sent.
  const { images, ...test } = await sampleEmail(
    context,
    { surveyId: survey.id, subject, sender, replyTo, message },
    person,
    messageId,
  )
  await reserveEmailQuota(context, 1, context.now)
  await enqueue(context, 'send-test-email', {
    ...(images && { survey: survey.id }),
    message: { ...test, subject: `[Test] ${test.subject}`, date: test.date.toISOString() },
  })
}

/**
 * Sends a test message. If it is sent again, it has the same Message-ID.
 * @param surveyId the survey whose logo the message contains; absent: no logo
 * @throws {MailError} if the mail server does not accept the message or cannot be reached
 */
export async function sendTestEmail(
  { services, em }: PublicContext,
  { date, ...message }: Omit<MailMessage, 'date'> & { date: string },
  surveyId?: number,
): Promise<void> {
  const image = surveyId === undefined ? undefined : (await findMailTheme(em, surveyId)).image
  await services.mailer.send({ ...message, ...(image && { images: [image] }), date: new Date(date) })
}
