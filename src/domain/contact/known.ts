import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import { createContact } from './commands.ts'
import type { Pasted } from './pasted.ts'

/**
 * The contacts that people are; who is not in the address book is put into it. Without a name, anybody with the address is meant,
 * and whoever is new is called by it. Call it inside a transaction.
 * @returns their ids, each once, and how many are new
 * @throws {Problem} as `createContact` does
 */
export async function knownOrNew(
  context: Context,
  people: readonly Pasted[],
): Promise<{ ids: number[]; created: number }> {
  const known = await withAddress(
    context,
    people.map(({ email }) => email.toLowerCase()),
  )
  const ids = new Set<number>()
  let created = 0
  for (const { name, email } of people) {
    const same = known.get(email.toLowerCase()) ?? []
    const found = name ? same.find((one) => one.name === name) : same[0]
    if (found) ids.add(found.id)
    else {
      const contact = await createContact(context, { name: name || email, email })
      ids.add(contact.id)
      created += 1
    }
  }
  return { ids: [...ids], created }
}

/** Contacts by e-mail address in small letters, the oldest first. */
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
