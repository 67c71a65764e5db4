import type { Context } from '../context.ts'
import { enqueueWebhookEvent } from '../event.ts'
import type { Tables } from '../tables.ts'
import { Contact } from './contact.ts'
import { type ContactDraft, checkDraft } from './draft.ts'
import { keepFields } from './field.ts'
import { findContact } from './queries.ts'

export interface NewContact extends ContactDraft {
  name: string
  email: string
}

/**
 * Puts somebody into the actor's address book, and tells of it. Custom fields that are new are made.
 * @param prefix what stands before the names of custom fields where the caller reads the faults
 * @throws {Problem} `invalid_request` naming each member that is wrong; the same name and e-mail address, the latter in
 *   any case, break a constraint (409 `contact_exists`)
 */
export async function createContact(context: Context, draft: NewContact, prefix = ''): Promise<Contact> {
  const { em, actor, now } = context
  const { name, email, custom } = { ...draft, ...checkDraft(draft, prefix) }
  await keepFields(context, Object.keys(custom.set))
  const contact = em.create(Contact, {
    owner: actor.id,
    name,
    email,
    custom: custom.set,
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  await enqueueWebhookEvent(context, { type: 'contact_create', name, email })
  return contact
}

/**
 * Changes what is given of a contact; a custom field with an empty value is taken off it.
 * @throws {Problem} `contact_not_found`, `invalid_request`; also 409 `contact_exists`, by a constraint
 */
export async function updateContact(context: Context, id: number, draft: ContactDraft): Promise<Contact> {
  const contact = await findContact(context, id)
  const { name = contact.name, email = contact.email, custom } = checkDraft(draft)
  const { unsubscribed = contact.unsubscribed } = draft
  await keepFields(context, Object.keys(custom.set))
  const kept = Object.entries(contact.custom).filter(([field]) => !custom.cleared.includes(field))
  Object.assign(contact, {
    name,
    email,
    unsubscribed,
    custom: { ...Object.fromEntries(kept), ...custom.set },
    updatedAt: context.now,
  })
  await context.em.flush()
  return contact
}

/** Takes somebody out of the address book and all its lists. What they answered stays. @throws {Problem} `contact_not_found` */
export async function deleteContact(context: Context, id: number): Promise<void> {
  const contact = await findContact(context, id)
  await context.em.remove(contact).flush()
}

/**
 * Finds somebody in the actor's address book by name and e-mail address, or puts them into it.
 * @returns the id of the contact
 * @throws {Problem} as {@link createContact}
 */
export async function findOrCreateContact(context: Context, person: { name: string; email: string }): Promise<number> {
  const known = await context.em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select('id')
    .where('owner_id', '=', context.actor.id)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', person.email.trim().toLowerCase()))
    .where('name', '=', person.name.trim())
    .executeTakeFirst()
  return (known ?? (await createContact(context, person))).id
}
