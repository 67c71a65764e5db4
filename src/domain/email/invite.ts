import { findOrCreateContact } from '../contact/commands.ts'
import type { ContactSelection } from '../contact/members.ts'
import type { Context } from '../context.ts'
import { createEmail, type Destination } from './commands.ts'
import type { EmailDraft } from './draft.ts'
import type { Email } from './email.ts'
import { addRecipients } from './recipients.ts'
import { type ReminderSchedule, scheduleReminders } from './reminders.ts'
import { sendEmail } from './send.ts'

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
