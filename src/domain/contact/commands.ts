import type { Context } from '../context.ts'
import { readEmailAddress } from '../email-address.ts'
import { enqueueWebhookEvent } from '../event.ts'
import type { Tables } from '../tables.ts'
import { Contact } from './contact.ts'
import { type ContactDraft, checkDraft } from './draft.ts'
import { createMissingFields } from './field.ts'
import { findContact } from './queries.ts'
import { rememberDeleted, resubscribeAddress, unsubscribeAddresses, unsubscribedAmong } from './unsubscribed-address.ts'

export interface NewContact extends ContactDraft {
  name: string
  email: string
}

/**
 * Creates a contact in the address book of the actor, and the custom fields that the address book does not have yet.
 * Enqueues the webhook event.
 * @param prefix precedes the names of custom fields in errors
 * @throws {Problem} `invalid_request` naming each invalid field; `contact_exists` (from a database constraint) if there
 *   is a contact with the same name and the same email address; only the case of the email address is ignored
 */
export async function createContact(context: Context, draft: NewContact, prefix = ''): Promise<Contact> {
  const { em, actor, now } = context
  const { name, email, custom } = { ...draft, ...checkDraft(draft, prefix) }
  await createMissingFields(context, Object.keys(custom.set))
  const contact = em.create(Contact, {
    owner: actor.id,
    name,
    email,
    unsubscribed: (await unsubscribedAmong(context, actor.id, [email])).size > 0,
    custom: custom.set,
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  await enqueueWebhookEvent(context, { type: 'contact_create', name, email })
  return contact
}

/**
 * Updates the given fields of a contact. An empty value removes a custom field. `unsubscribed` applies to every contact
 * with the same address; false does not apply to an address that the same update sets.
 * @throws {Problem} `contact_not_found`, `invalid_request`; `contact_exists` (from a database constraint)
 */
export async function updateContact(context: Context, id: number, draft: ContactDraft): Promise<Contact> {
  const contact = await findContact(context, id)
  const { actor } = context
  const { name = contact.name, email = contact.email, custom } = checkDraft(draft)
  const isSameAddress = email.toLowerCase() === contact.email.toLowerCase()
  if (!isSameAddress) await rememberDeleted(context, actor.id, contact)
  const isResubscribed = draft.unsubscribed === false && isSameAddress
  if (isResubscribed) await resubscribeAddress(context, actor.id, email)
  const unsubscribed =
    (!isResubscribed && (draft.unsubscribed ?? contact.unsubscribed)) ||
    (await unsubscribedAmong(context, actor.id, [email])).size > 0
  await createMissingFields(context, Object.keys(custom.set))
  const kept = Object.entries(contact.custom).filter(([field]) => !custom.cleared.includes(field))
  Object.assign(contact, {
    name,
    email,
    unsubscribed,
    custom: { ...Object.fromEntries(kept), ...custom.set },
    updatedAt: context.now,
  })
  await context.em.flush()
  if (unsubscribed) await unsubscribeAddresses(context, actor.id, [email], null)
  return contact
}

/**
 * Deletes a contact and its list memberships. The responses of the contact remain, and so does the keyed hash of an
 * address that has unsubscribed.
 * @throws {Problem} `contact_not_found`
 */
export async function deleteContact(context: Context, id: number): Promise<void> {
  const contact = await findContact(context, id)
  await rememberDeleted(context, context.actor.id, contact)
  await context.em.remove(contact).flush()
}

/**
 * Finds a contact of the actor by name and email address, or creates it.
 * @returns the ID of the contact
 * @throws {Problem} as {@link createContact}
 */
export async function findOrCreateContact(context: Context, person: { name: string; email: string }): Promise<number> {
  const existing = await context.em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select('id')
    .where('owner_id', '=', context.actor.id)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', readEmailAddress(person.email).toLowerCase()))
    .where('name', '=', person.name.trim())
    .executeTakeFirst()
  return (existing ?? (await createContact(context, person))).id
}
