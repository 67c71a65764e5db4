import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'

/**
 * Deletes the invitations of a contact and all email messages to the contact, sent or not.
 * @returns the number of deleted invitations and the number of deleted messages
 */
export async function eraseMail(
  { em }: Context,
  { contactId }: { contactId: number },
): Promise<{ invites: number; messages: number }> {
  const db = em.getKysely<Tables>()
  const messages = await db.deleteFrom('email_message').where('contact_id', '=', contactId).executeTakeFirstOrThrow()
  const invites = await db.deleteFrom('invite').where('contact_id', '=', contactId).executeTakeFirstOrThrow()
  return { invites: Number(invites.numDeletedRows), messages: Number(messages.numDeletedRows) }
}
