import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { checkEmail, MAX_SUBJECT_CHARACTERS } from './draft.ts'
import { Email } from './email.ts'
import { mailWordsOf } from './language.ts'
import { lockEmail } from './queries.ts'
import { insertRecipients } from './recipients.ts'
import { queueEmail } from './send.ts'

/** The subject and text of a reminder. If absent or empty, the default text is used. */
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
  return { subject: `${words.reminder}: ${subject}`.slice(0, MAX_SUBJECT_CHARACTERS), message: words.reminderText }
}

/**
 * Sends a reminder immediately to the recipients of an email who have not completed the survey. The reminder is a new
 * email that uses the invite codes of the original email. Call it inside a transaction.
 * @returns the reminder
 * @throws {Problem} `email_not_found`; `email_not_sent` for a draft; `nobody_to_remind`; `invalid_request`
 */
export async function remind(context: Context, id: number, { subject, message }: ReminderText): Promise<Email> {
  const { em, now } = context
  const original = await lockEmail(context, id)
  if (original.status === 'draft') throw problems.emailNotSent()
  const defaults = await reminderOf(context, { subject: original.subject, surveyId: original.survey.id })
  const text = { subject: subject?.trim() || defaults.subject, message: message?.trim() || defaults.message }
  const reminder = em.create(Email, {
    owner: original.owner.id,
    survey: original.survey.id,
    collector: original.collector.id,
    reminderOf: original.id,
    status: 'draft',
    ...checkEmail({ sender: original.sender, replyTo: original.replyTo, ...text }),
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  const codes = await completedCodes(context, original.survey.id)
  if (!(await insertRecipients(context, reminder.id, pendingRecipients(context, id, codes))))
    throw problems.noOneToRemind()
  await queueEmail(context, reminder, now)
  return reminder
}

/** Returns the codes of the invitations whose respondents have completed the survey or were screened out. */
async function completedCodes({ em }: Context, surveyId: number): Promise<string[]> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('response')
    .select('invite_code')
    .distinct()
    .where('survey_id', '=', surveyId)
    .where('invite_code', 'is not', null)
    .where('completed', '>', 0)
    .execute()
  return rows.flatMap(({ invite_code }) => invite_code ?? [])
}

/**
 * Selects recipients whose message was sent and who have neither completed the survey nor used their invitation
 * anonymously.
 */
const pendingRecipients = ({ em }: Context, emailId: number, codes: readonly string[]) =>
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
          .where((inner) => inner('invite.code', '!=', sql<string>`all(${codes}::text[])`)),
      ),
    )
