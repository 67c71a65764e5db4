import { MailError } from '../../lib/mail-error.ts'
import type { PublicContext } from '../context.ts'
import { can } from '../group/access.ts'
import type { JobPayloads } from '../jobs.ts'
import { accessIn } from '../survey/queries.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { fill, pluralIn, type Text } from '../text/text.ts'
import { notificationUnsubscribeUrl } from './subscription.ts'

/**
 * Sends an email about new responses, without answers, in the language of the account. Sends nothing if the account has
 * turned the emails off or has lost its access to the responses. Retries have the same Message-ID.
 * @throws {MailError} if the mail server cannot take the message at the moment
 */
export async function sendNotification(
  context: PublicContext,
  { survey, account, responses, response, reference }: JobPayloads['send-notification'],
): Promise<void> {
  const { em, now, services } = context
  const recipient = await em
    .getKysely<Tables>()
    .selectFrom('survey_notification')
    .innerJoin('account', 'account.id', 'survey_notification.account_id')
    .select(['account.id', 'name', 'username', 'email', 'language'])
    .where('survey_id', '=', survey)
    .where('account_id', '=', account)
    .executeTakeFirst()
  const snapshot = recipient && (await getSnapshot(em, survey))
  if (!snapshot || !can(accessIn(snapshot, recipient), 'Analyze')) return
  const language =
    recipient.language !== null && Object.hasOwn(notificationTexts, recipient.language) ? recipient.language : 'en'
  const texts = notificationTexts[language]!
  const values = { n: responses, number: responses.toLocaleString(language), survey: snapshot.name }
  const list = `${services.baseUrl}/account/surveys/${survey}/responses/`
  const unsubscribeUrl = notificationUnsubscribeUrl(services, { survey, account })
  const links = [
    ...(response === undefined ? [] : [`${texts.response}\n${list}${response}/`]),
    `${texts.responses}\n${list}`,
  ]
  const { hostname } = new URL(services.baseUrl)
  try {
    await services.mailer.send({
      messageId: `<${reference}@${hostname}>`,
      date: now,
      from: services.mailFrom,
      to: { name: recipient.name || recipient.username, address: recipient.email },
      subject: fill(texts.subject, values).replace(/\p{Cc}+/gu, ' '),
      text: `${[fill(texts.sentence, values), ...links].join('\n\n')}\n\n-- \n${texts.footer}\n${unsubscribeUrl}\n`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
  } catch (error) {
    // If the mail server rejects this message permanently, the job ends without an error, so that the message is not
    // retried. Later messages are sent as usual.
    if (!(error instanceof MailError) || error.failure !== 'rejected') throw error
  }
}

/** The texts of an email about new responses: `{number}` responses to the survey `{survey}`. */
interface NotificationTexts {
  subject: Text
  sentence: Text
  response: string
  responses: string
  footer: string
}

const inEnglish = pluralIn('en')
const en: NotificationTexts = {
  subject: inEnglish('n', { one: '{number} new response: {survey}', other: '{number} new responses: {survey}' }),
  sentence: inEnglish('n', {
    one: 'There is {number} new response to the survey “{survey}”.',
    other: 'There are {number} new responses to the survey “{survey}”.',
  }),
  response: 'View the response:',
  responses: 'View all responses:',
  footer: 'You receive this email because you turned on notifications for this survey. Turn them off:',
}

const inGerman = pluralIn('de')
const de: NotificationTexts = {
  subject: inGerman('n', { one: '{number} neue Antwort: {survey}', other: '{number} neue Antworten: {survey}' }),
  sentence: inGerman('n', {
    one: 'Es gibt {number} neue Antwort auf die Umfrage „{survey}“.',
    other: 'Es gibt {number} neue Antworten auf die Umfrage „{survey}“.',
  }),
  response: 'Antwort ansehen:',
  responses: 'Alle Antworten ansehen:',
  footer: 'Sie erhalten diese E-Mail, weil Sie Benachrichtigungen für diese Umfrage eingeschaltet haben. Ausschalten:',
}

/** The texts by language of the account. */
const notificationTexts: Readonly<Record<string, NotificationTexts>> = { en, de }
