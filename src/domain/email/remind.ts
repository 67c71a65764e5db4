import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { checkEmail } from './draft.ts'
import { Email } from './email.ts'
import { mailWordsOf } from './language.ts'
import { lockEmail } from './queries.ts'
import { insertRecipients } from './recipients.ts'
import { queueEmail } from './send.ts'

/** The subject and text of a reminder; absent or empty: the default text. */
export interface ReminderText {
  subject?: string | undefined
  message?: string | undefined
}

/** Returns the default text of a reminder in the language of the survey. */
export async function reminderOf(
  context: Pick<Context, 'em'>,
  { subject, surveyId }: { subject: string; surveyId: number },
): Promise<{ subject: string; message: string }> {
  const { words } = await mailWordsOf(context, surveyId)
  return { subject: `${words.reminder}: ${subject}`.slice(0, 500), message: words.reminding }
}

/**
 * Sends a reminder at once to the recipients of an e-mail who have not completed the survey. It is a new e-mail with the invite
 * codes of the first. Call it inside a transaction.
 * @returns the reminder
 * @throws {Problem} `email_not_found`; `email_not_sent` for a draft; `nobody_to_remind`; `invalid_request`
 */
export async function remind(context: Context, id: number, { subject, message }: ReminderText): Promise<Email> {
  const { em, now } = context
  const first = await lockEmail(context, id)
  if (first.status === 'draft') throw problems.emailNotSent()
  const own = await reminderOf(context, { subject: first.subject, surveyId: first.survey.id })
  const text = { subject: subject?.trim() || own.subject, message: message?.trim() || own.message }
  const reminder = em.create(Email, {
    owner: first.owner.id,
    survey: first.survey.id,
    collector: first.collector.id,
    reminderOf: first.id,
    status: 'draft',
    ...checkEmail({ sender: first.sender, ...text }),
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  if (!(await insertRecipients(context, reminder.id, waiting(context, id)))) throw problems.noOneToRemind()
  await queueEmail(context, reminder, now)
  return reminder
}

/**
 * Selects recipients whose message was sent and who have neither completed the survey nor used their invitation anonymously.
 */
const waiting = ({ em }: Context, emailId: number) =>
  em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select('contact.id')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('email_message')
          .innerJoin('invite', 'invite.id', 'email_message.invite_id')
          .select('email_message.id')
          .whereRef('email_message.contact_id', '=', 'contact.id')
          .where('email_message.email_id', '=', emailId)
          .where('email_message.state', '=', 'sent')
          .where('invite.used_on', 'is', null)
          .where((inner) =>
            inner.not(
              inner.exists(
                inner
                  .selectFrom('response')
                  .select('response.id')
                  .whereRef('response.survey_id', '=', 'invite.survey_id')
                  .whereRef('response.invite_code', '=', 'invite.code')
                  .where('response.completed', '>', 0),
              ),
            ),
          ),
      ),
    )
