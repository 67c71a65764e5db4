import { MailError } from '../../lib/mail-error.ts'
import { byLanguage, fill, withPlurals } from '../../lib/texts.ts'
import type english from '../../texts/en/notifications.json'
import type { PublicContext } from '../context.ts'
import { can } from '../group/access.ts'
import type { JobPayloads } from '../jobs.ts'
import { accessIn } from '../survey/queries.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { notificationUnsubscribeUrl } from './subscription.ts'

/**
 * Sends an email about new responses, without answers, in the language of the account. Sends nothing if the account is
 * disabled, has turned the emails off or has lost its access to the responses. Retries have the same Message-ID.
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
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  const snapshot = recipient && (await getSnapshot(em, survey))
  if (!snapshot || !can(accessIn(snapshot, recipient), 'View')) return
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

/** The texts of an email about new responses, by language: `{number}` responses to the survey `{survey}`. */
const notificationTexts = byLanguage('notifications.json', withPlurals<typeof english>)
