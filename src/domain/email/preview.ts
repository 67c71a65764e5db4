import type { MailMessage } from '../../lib/mailer.ts'
import { findContact } from '../contact/queries.ts'
import type { Context } from '../context.ts'
import { parseSender, senderHeaders } from '../email-sender.ts'
import { isAnonymousSurvey } from '../survey/anonymity.ts'
import { summariseSurvey } from '../survey/queries.ts'
import { surveyUrl } from '../survey-address.ts'
import { buildEmailMessage } from './build-message.ts'
import { mailWordsOf } from './language.ts'
import { findMailTheme } from './mail-theme.ts'
import { prepareMessage } from './message.ts'
import { type EmailSummary, findEmail } from './queries.ts'
import { recipientLanguage } from './recipient-language.ts'
import { footerOf } from './send.ts'
import type { TokenValues } from './tokens.ts'

/** The recipient of a preview without a contact. */
const SAMPLE_RECIPIENT = { name: 'Sam Sample', email: 'sam@example.org', custom: {} }
/** Shorter than every invite code, so it cannot be the code of an invitation. */
const SAMPLE_CODE = 'preview'

/**
 * Returns a message as a recipient would get it. Its links do not contain a valid invite code.
 * @param contactId absent: a sample recipient
 * @throws {Problem} `email_not_found`, `forbidden`, `contact_not_found`
 */
export async function previewEmail(context: Context, emailId: number, contactId?: number): Promise<MailMessage> {
  const email = await findEmail(context, emailId)
  const person = contactId === undefined ? SAMPLE_RECIPIENT : await findContact(context, contactId)
  return sampleEmail(context, { ...email, surveyId: email.survey.id }, person, `<preview@${hostOf(context)}>`)
}

/** Returns the host name of the service, for Message-IDs. */
export const hostOf = ({ services }: Pick<Context, 'services'>): string => new URL(services.baseUrl).hostname

/** Returns a message whose links do not contain a valid invite code. */
export async function sampleEmail(
  context: Context,
  {
    surveyId,
    sender,
    replyTo,
    subject,
    message,
  }: Pick<EmailSummary, 'surveyId' | 'sender' | 'subject' | 'message'> & { replyTo?: string | null | undefined },
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
  const content = {
    from,
    subject,
    message: prepareMessage(message, anonymous),
    anonymous,
    footer: footerOf(message, words),
    language,
    ...theme,
  }
  return buildEmailMessage(content, { inviteLink, unsubscribeLink, name, email, custom }, { messageId, date: now })
}
