import { sql } from 'kysely'
import type { Tables } from '../../src/domain/tables.ts'
import type { Person, World } from './world.ts'

/** Inserts contacts into a new contact list. @returns the ID of the list */
export async function insertContacts(world: World, person: Person, count: number, name = 'person'): Promise<number> {
  const { body } = await person.post('/api/v3/contact-lists/', { json: { name } })
  const db = world.em().getKysely<Tables>()
  const ids: number[] = []
  for (let from = 0; from < count; from += 5000) {
    const batch = Array.from({ length: Math.min(5000, count - from) }, (_, index) => ({
      owner_id: person.actor.id,
      name: `${name} ${from + index}`,
      email: `${name}${from + index}@example.net`,
      custom: '{}' as never,
      search: sql<string>`default`,
      created_at: world.now,
      updated_at: world.now,
    }))
    const rows = await db.insertInto('contact').values(batch).returning('id').execute()
    ids.push(...rows.map(({ id }) => id))
  }
  for (let from = 0; from < count; from += 5000)
    await db
      .insertInto('contact_list_member')
      .values(ids.slice(from, from + 5000).map((contact_id) => ({ list_id: body.id, contact_id })))
      .execute()
  return body.id
}
