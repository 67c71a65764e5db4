import type { Context } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { enqueueWebhookEvent } from '../event.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Contact } from './contact.ts'
import { type CustomChange, createMissingFields, parseCustomFields } from './fields.ts'
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

const MAX_NAME_CHARACTERS = 255
/** Control characters and line breaks. A name becomes part of the header of an email. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u

/** The fields of a contact in a request. In an update, absent fields are not changed. */
interface ContactDraft {
  name?: string | undefined
  email?: string | undefined
  /** Whether the contact has unsubscribed from all email. */
  unsubscribed?: boolean | undefined
  /**
   * Values that have not been checked yet, by the name of the field without prefix. An empty value removes the field.
   */
  custom?: Readonly<Record<string, unknown>> | undefined
}

/** A valid draft, trimmed. */
interface CheckedDraft {
  name?: string
  email?: string
  custom: CustomChange
}

/** Returns the error of a contact name, if there is one. */
export function nameError(name: string): ValueError | undefined {
  if (!name) return valueError('blank')
  if (CONTROL_CHARACTERS.test(name)) return valueError('multiple_lines')
  return Array.from(name).length > MAX_NAME_CHARACTERS
    ? valueError('too_long', { max: MAX_NAME_CHARACTERS })
    : undefined
}

/** Returns the error of an email address, if there is one. */
export const emailError = (email: string): ValueError | undefined =>
  isEmailAddress(email) ? undefined : valueError('invalid_email')

/**
 * Validates the fields that a draft contains.
 * @param prefix precedes the names of custom fields in errors
 * @throws {Problem} `invalid_request` naming each invalid field
 */
function checkDraft({ name, email, custom = {} }: ContactDraft, prefix = ''): CheckedDraft {
  const errors: FieldError[] = []
  const trimmed = { name: name?.trim(), email: email === undefined ? undefined : readEmailAddress(email) }
  const checks = {
    name: trimmed.name === undefined ? undefined : nameError(trimmed.name),
    email: trimmed.email === undefined ? undefined : emailError(trimmed.email),
  }
  for (const [field, error] of Object.entries(checks)) if (error) errors.push({ field, ...error })
  const change = parseCustomFields(custom, errors, prefix)
  if (errors.length) throw problems.invalid(errors)
  return {
    ...(trimmed.name !== undefined && { name: trimmed.name }),
    ...(trimmed.email !== undefined && { email: trimmed.email }),
    custom: change,
  }
}
