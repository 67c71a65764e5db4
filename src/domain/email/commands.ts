import { Collector } from '../collector/collector.ts'
import { findOrCreateContact } from '../contact/commands.ts'
import type { ContactSelection } from '../contact/members.ts'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { collectorIn } from '../invitation/queries.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { checkEmail, Email, type EmailDraft } from './email.ts'
import { findDraft, lockEmail } from './queries.ts'
import { addRecipients } from './recipients.ts'
import { type ReminderSchedule, scheduleReminders } from './reminders.ts'
import { sendEmail } from './send.ts'

/** The survey and the collector of an email. */
interface Destination {
  survey: number
  /** If absent, the default collector. */
  collector?: number | undefined
}

/**
 * Creates an invitation as a draft without recipients.
 * @throws {Problem} `survey_not_found`, `forbidden` without the role Deploy, `collector_not_found`; `invalid_request`
 *   naming each invalid field
 */
export async function createEmail(
  context: Context,
  { survey, collector }: Destination,
  draft: EmailDraft,
): Promise<Email> {
  const { em, actor, now } = context
  await authorize(context, survey, 'Deploy')
  const email = em.create(Email, {
    owner: actor.id,
    survey,
    collector: await collectorIn(context, survey, collector),
    status: 'draft',
    ...checkEmail(draft),
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  return email
}

/**
 * Replaces the content of a draft.
 * @param collector if absent, the collector does not change
 * @throws {Problem} `email_not_found`; `email_sent` if the email is scheduled or sent; `collector_not_found`;
 *   `invalid_request`
 */
export async function changeEmail(
  context: Context,
  id: number,
  draft: EmailDraft,
  collector?: number | undefined,
): Promise<Email> {
  const email = await findDraft(context, id)
  if (collector !== undefined) {
    const collectorId = await collectorIn(context, email.survey.id, collector)
    email.collector = context.em.getReference(Collector, collectorId, { wrapped: true })
  }
  Object.assign(email, checkEmail(draft), { updatedAt: context.now })
  await context.em.flush()
  return email
}

/**
 * Deletes an email that was not sent to any recipient: a draft, or an email that is scheduled for later.
 * @throws {Problem} `email_not_found`; `email_sent` if the mail server may have received a message
 */
export async function deleteEmail(context: Context, id: number): Promise<void> {
  const email = await lockEmail(context, id)
  if (email.status === 'sent') throw problems.emailSent()
  const db = context.em.getKysely<Tables>()
  // If a run has claimed a message, the message is not deleted, because the mail server may have received it
  // (claim.ts).
  await db
    .deleteFrom('email_message')
    .where('email_id', '=', id)
    .where('state', 'in', ['added', 'queued', 'skipped'])
    .where('handed_at', 'is', null)
    .execute()
  const left = await db.selectFrom('email_message').select('id').where('email_id', '=', id).limit(1).executeTakeFirst()
  if (left) throw problems.emailSent()
  await context.em.remove(email).flush()
}

/**
 * Creates an invitation and sends it. Call it inside a transaction.
 * @param scheduled as in `sendEmail`
 * @param reminders absent: no automatic reminders
 * @throws {Problem} as `createEmail`, `addRecipients` and `sendEmail` do
 */
export async function inviteContacts(
  context: Context,
  destination: Destination,
  draft: EmailDraft,
  choice: ContactSelection,
  scheduled?: string,
  reminders?: ReminderSchedule,
): Promise<Email> {
  const email = await createEmail(context, destination, draft)
  await addRecipients(context, email.id, choice)
  if (reminders) await scheduleReminders(context, email.id, reminders)
  await sendEmail(context, email.id, scheduled)
  return email
}

/** Invites one person. If no contact has this name and address, creates a contact. */
export async function invitePerson(
  context: Context,
  destination: Destination,
  draft: EmailDraft,
  person: { name: string; email: string },
): Promise<Email> {
  return inviteContacts(context, destination, draft, {
    ids: [await findOrCreateContact(context, person)],
    field: 'email',
  })
}
