import { randomUUID } from 'node:crypto'
import type { Letter } from '../../lib/mailer.ts'
import type { Context, PublicContext } from '../context.ts'
import { takeEmailQuota } from '../email-quota.ts'
import { enqueue } from '../enqueue.ts'
import { hostOf, sampleEmail } from './preview.ts'
import { findEmail } from './queries.ts'

/**
 * Sends the actor what a recipient would get, with their own name in it, once the caller's transaction commits. Its links lead
 * to nobody's invitation.
 * @throws {Problem} `email_not_found`, `forbidden`, `too_many_requests`
 */
export async function tryOutEmail(context: Context, emailId: number): Promise<void> {
  const { actor } = context
  const { subject, sender, message, survey } = await findEmail(context, emailId)
  const messageId = `<${randomUUID()}@${hostOf(context)}>`
  const person = { name: actor.name || actor.username, email: actor.email, custom: {} }
  const letter = await sampleEmail(context, { surveyId: survey.id, subject, sender, message }, person, messageId)
  await takeEmailQuota(context, 1, context.now)
  await enqueue(context, 'send-letter', {
    letter: { ...letter, subject: `[Test] ${letter.subject}`, date: letter.date.toISOString() },
  })
}

/** Hands a written letter over. Tried again, it has the same Message-ID. @throws {MailError} when it is not taken */
export async function sendTestEmail(
  { services }: PublicContext,
  { date, ...letter }: Omit<Letter, 'date'> & { date: string },
): Promise<void> {
  await services.mailer.send({ ...letter, date: new Date(date) })
}
