import type { Context } from '../context.ts'
import { anonymizeRespondent } from '../response/edit/anonymize-respondent.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { forgetDeliveriesAbout } from '../webhook/forget.ts'
import { eraseMail } from './erase-mail.ts'
import { findContact } from './queries.ts'

/** Whom to forget. */
export interface Person {
  contactId: number
  email: string
}

/** How much of each kind was erased. */
export interface Erased {
  responses: number
  invites: number
  messages: number
  /** Messages to webhooks, sent or waiting. */
  deliveries: number
  /** Letters in the development mailbox. */
  letters: number
}

/** Erases one kind of trace of a person, in the caller's transaction, and counts it. */
type Eraser = (context: Context, person: Person) => Promise<Partial<Erased>>

/** Every place that knows a person, beside the address book. Whoever stores a trace of people adds it here. */
const erasers: readonly Eraser[] = [
  async (context, { email }) => ({ responses: await anonymizeRespondent(context, email) }),
  eraseMail,
  async (context, { email }) => ({ deliveries: await forgetDeliveriesAbout(context, email) }),
  async ({ services }, { email }) => ({ letters: await services.mailer.forget([email]) }),
]

const NONE: Readonly<Erased> = { responses: 0, invites: 0, messages: 0, deliveries: 0, letters: 0 }

/** What an owner keeps as proof; it names nobody. */
export interface Receipt extends Erased {
  erasedAt: Date
  contactId: number
  /** Contacts erased. */
  contact: 1
}

/**
 * Erases a person: the contact, with its places in lists, and what else is known of it anywhere; answers lose who gave
 * them. It cannot be undone. Call it inside a transaction.
 * @throws {Problem} `contact_not_found`
 */
export async function eraseContact(context: Context, id: number): Promise<Receipt> {
  const contact = await findContact(context, id)
  const erased: Erased = { ...NONE }
  for (const erase of erasers) {
    const counts = await erase(context, { contactId: id, email: contact.email })
    for (const kind of Object.keys(NONE) as (keyof Erased)[]) erased[kind] += counts[kind] ?? 0
  }
  await context.em.remove(contact).flush()
  await recordSecurityEvent(context, context.actor.id, 'contact_erased', { contact: id })
  return { erasedAt: context.now, contactId: id, contact: 1, ...erased }
}
