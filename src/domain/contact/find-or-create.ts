import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import { createContact } from './commands.ts'
import type { PastedAddress } from './pasted-addresses.ts'

/**
 * Finds the contacts of people and creates the missing ones. If a person has no name, any contact with the email
 * address matches. A contact that is created for a person without a name gets the email address as its name. Call it
 * inside a transaction.
 * @returns the distinct IDs, and the number of created contacts
 * @throws {Problem} as `createContact` does
 */
export async function findOrCreateContacts(
  context: Context,
  people: readonly PastedAddress[],
): Promise<{ ids: number[]; created: number }> {
  const contactsByAddress = await withAddress(
    context,
    people.map(({ email }) => email.toLowerCase()),
  )
  const ids = new Set<number>()
  let created = 0
  for (const { name, email } of people) {
    const matches = contactsByAddress.get(email.toLowerCase()) ?? []
    const found = name ? matches.find((contact) => contact.name === name) : matches[0]
    if (found) ids.add(found.id)
    else {
      const contact = await createContact(context, { name: name || email, email })
      ids.add(contact.id)
      created += 1
    }
  }
  return { ids: [...ids], created }
}

/** Reads contacts by lower-case email address, oldest first. */
async function withAddress({ em, actor }: Context, addresses: readonly string[]) {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select(['id', 'name', 'email'])
    .where('owner_id', '=', actor.id)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', eb.fn.any(eb.val([...addresses]))))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ email }) => email.toLowerCase())
}
