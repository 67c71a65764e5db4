import { randomUUID } from 'node:crypto'
import type { MailMessage } from '../../lib/mailer.ts'
import { findContact } from '../contact/queries.ts'
import type { Context, PublicContext } from '../context.ts'
import { parseSender, senderHeaders } from '../email-address.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { enqueue } from '../jobs.ts'
import { isAnonymousSurvey } from '../survey/anonymity.ts'
import { summariseSurvey } from '../survey/queries.ts'
import { surveyUrl } from '../survey-address.ts'
import type { EmailTranslations } from './email.ts'
import { keyForLanguage, languageOfContact, mailWordsOf, recipientLanguage } from './language.ts'
import { findMailTheme } from './mail-theme.ts'
import { buildEmailMessage, prepareMessage } from './message.ts'
import { type EmailSummary, findEmail } from './queries.ts'
import { assertMailServer, footerOf } from './send.ts'
import type { TokenValues } from './tokens.ts'

/** The recipient of a preview without a contact. */
const SAMPLE_RECIPIENT = { name: 'Sam Sample', email: 'sam@example.org' }
/** Shorter than every invite code, so it cannot be the code of an invitation. */
const SAMPLE_CODE = 'preview'

/**
 * Returns a message as a recipient would get it. Its links do not contain a valid invite code.
 * @param contactId absent: a sample recipient
 * @param language the language of the sample recipient
 * @throws {Problem} `email_not_found`, `forbidden`, `contact_not_found`
 */
export async function previewEmail(
  context: Context,
  emailId: number,
  { contactId, language }: { contactId?: number | undefined; language?: string | undefined } = {},
): Promise<MailMessage> {
  const email = await findEmail(context, emailId)
  const custom: Record<string, string> = language === undefined ? {} : { language }
  const person = contactId === undefined ? { ...SAMPLE_RECIPIENT, custom } : await findContact(context, contactId)
  return sampleEmail(context, { ...email, surveyId: email.survey.id }, person, `<preview@${hostOf(context)}>`)
}

/** Returns the host name of the service, for Message-IDs. */
const hostOf = ({ services }: Pick<Context, 'services'>): string => new URL(services.baseUrl).hostname

/** Returns a message whose links do not contain a valid invite code. */
async function sampleEmail(
  context: Context,
  {
    surveyId,
    sender,
    replyTo,
    subject,
    message,
    translations,
  }: Pick<EmailSummary, 'surveyId' | 'sender' | 'subject' | 'message'> & {
    replyTo?: string | null | undefined
    translations?: EmailTranslations | null | undefined
  },
  { name, email, custom }: Pick<TokenValues, 'name' | 'email' | 'custom'>,
  messageId: string,
): Promise<MailMessage> {
  const { services, now } = context
  const { creator, slug } = await summariseSurvey(context, surveyId, 'Deploy')
  const inviteLink = `${surveyUrl(services.baseUrl, { username: creator.username, slug })}?code=${SAMPLE_CODE}`
  const { language, words } = recipientLanguage(custom, await mailWordsOf(context, surveyId))
  const unsubscribeLink = `${services.baseUrl}/unsubscribe/${SAMPLE_CODE}/?lang=${language}`
  const from = senderHeaders(services, parseSender(sender) ?? services.mailFrom, replyTo)
  const anonymous = await isAnonymousSurvey(context, surveyId)
  const theme = await findMailTheme(context.em, surveyId)
  const key = keyForLanguage(Object.keys(translations ?? {}), languageOfContact(custom))
  const texts = key === undefined ? { subject, message } : translations![key]!
  const content = {
    from,
    subject: texts.subject,
    message: prepareMessage(texts.message, anonymous),
    anonymous,
    footer: footerOf(texts.message, words),
    language,
    ...theme,
  }
  return buildEmailMessage(content, { inviteLink, unsubscribeLink, name, email, custom }, { messageId, date: now })
}

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
