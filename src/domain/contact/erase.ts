import type { Context } from '../context.ts'
import { anonymizeRespondent } from '../response/edit/anonymize-respondent.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { eraseDeliveriesAbout } from '../webhook/due.ts'
import { forgetBounces } from './bounced-address.ts'
import { findContact } from './queries.ts'
import { rememberDeleted } from './unsubscribed-address.ts'

/**
 * Deletes the invitations of a contact and all email messages to the contact, sent or not.
 * @returns the number of deleted invitations and the number of deleted messages
 */
async function eraseMail(
  { em }: Context,
  { contactId }: { contactId: number },
): Promise<{ invites: number; messages: number }> {
  const db = em.getKysely<Tables>()
  const messages = await db.deleteFrom('email_message').where('contact_id', '=', contactId).executeTakeFirstOrThrow()
  const invites = await db.deleteFrom('invite').where('contact_id', '=', contactId).executeTakeFirstOrThrow()
  return { invites: Number(invites.numDeletedRows), messages: Number(messages.numDeletedRows) }
}

/** The person to erase. */
interface Person {
  contactId: number
  email: string
}

/** The number of erased records of each kind. */
interface ErasedCounts {
  responses: number
  invites: number
  messages: number
  /** Webhook deliveries, sent or pending. */
  deliveries: number
  /** Emails in the development mailbox. */
  devEmails: number
}

/** Erases one kind of personal data in the transaction of the caller, and returns the number of erased records. */
type Eraser = (context: Context, person: Person) => Promise<Partial<ErasedCounts>>

/**
 * The functions that erase personal data outside the address book. A module that stores personal data adds a function
 * to this list.
 */
const erasers: readonly Eraser[] = [
  async (context, { email }) => ({ responses: await anonymizeRespondent(context, email) }),
  eraseMail,
  async (context, { email }) => {
    await forgetBounces(context, context.actor.id, [email])
    return {}
  },
  async (context, { email }) => ({ deliveries: await eraseDeliveriesAbout(context, email) }),
  async ({ services }, { email }) => ({ devEmails: await services.mailer.deleteMessagesTo([email]) }),
]

const NO_RECORDS: Readonly<ErasedCounts> = { responses: 0, invites: 0, messages: 0, deliveries: 0, devEmails: 0 }

/** The proof of an erasure for the owner; it contains no personal data. */
export interface Receipt extends ErasedCounts {
  erasedAt: Date
  contactId: number
  /** The number of erased contacts. */
  contact: 1
}

/**
 * Erases a person: the contact, its list memberships and all other personal data. Responses are kept and become
 * anonymous. Only the keyed hash of an address that has unsubscribed is kept, so that no mail goes out to it when somebody
 * adds it again. The erasure cannot be undone. Call it inside a transaction.
 * @throws {Problem} `contact_not_found`
 */
export async function eraseContact(context: Context, id: number): Promise<Receipt> {
  const contact = await findContact(context, id)
  const erased: ErasedCounts = { ...NO_RECORDS }
  for (const erase of erasers) {
    const counts = await erase(context, { contactId: id, email: contact.email })
    for (const kind of Object.keys(NO_RECORDS) as (keyof ErasedCounts)[]) erased[kind] += counts[kind] ?? 0
  }
  await rememberDeleted(context, context.actor.id, contact)
  await context.em.remove(contact).flush()
  await recordSecurityEvent(context, context.actor.id, 'contact_erased', { contact: id })
  return { erasedAt: context.now, contactId: id, contact: 1, ...erased }
}
