import { LockMode } from '@mikro-orm/core'
import type { AliasedExpression } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Contact } from './contact.ts'
import { assertList } from './lists.ts'
import { searched } from './search.ts'

/** A contact as faces show it. */
export interface ContactSummary {
  id: number
  name: string
  email: string
  unsubscribed: boolean
  /** Values by the name of their custom field. */
  custom: Readonly<Record<string, string>>
}

/** The contact as an entity; inside a transaction its row is locked. @throws {Problem} `contact_not_found` */
export const findContact = ({ em, actor }: Context, id: number): Promise<Contact> =>
  em.findOneOrFail(
    Contact,
    { id, owner: actor.id },
    {
      failHandler: problems.contactNotFound,
      ...(em.isInTransaction() && { lockMode: LockMode.PESSIMISTIC_WRITE }),
    },
  )

export interface ContactSearch {
  /** Part of the name, the e-mail address or the value of a custom field, in any case. */
  search?: string | undefined
  /** Only the members of this contact list. */
  list?: number | undefined
  /** Only the recipients of this e-mail. */
  email?: number | undefined
  /** All but the recipients of this e-mail. */
  apartFrom?: number | undefined
}

/** The actor's contacts that a search finds; of the table contact only, so that counting it can stay inside an index. */
export function contactsOf({ em, actor }: Context, { search, list, email, apartFrom }: ContactSearch) {
  const db = em.getKysely<Tables>()
  let query = db.selectFrom('contact').where('contact.owner_id', '=', actor.id)
  if (search?.trim()) query = query.where(searched(search))
  if (list !== undefined)
    query = query.where(
      'contact.id',
      'in',
      db.selectFrom('contact_list_member').select('contact_id').where('list_id', '=', list),
    )
  const recipients = (of: number) =>
    db
      .selectFrom('email_message')
      .select('contact_id')
      .where('email_id', '=', of)
      .where('contact_id', 'is not', null)
      .$castTo<{ contact_id: number }>()
  if (email !== undefined) query = query.where('contact.id', 'in', recipients(email))
  if (apartFrom !== undefined) query = query.where('contact.id', 'not in', recipients(apartFrom))
  return query
}

/** The ids of the contacts that a search finds. All of a list are found without reading a single contact. */
function idsOf(context: Context, asked: ContactSearch): AliasedExpression<{ id: number }, 'found'> {
  if (asked.list === undefined || asked.search?.trim())
    return contactsOf(context, asked).select('contact.id').as('found')
  const members = context.em.getKysely<Tables>().selectFrom('contact_list_member').where('list_id', '=', asked.list)
  return members.select('contact_id as id').as('found')
}

/**
 * Contacts of the actor's address book, oldest first, so that a page keeps its place while contacts are added. The
 * page is found by its ids alone and only then read, which makes a far page cheap.
 * @returns how many match in all, and those of the asked-for slice
 * @throws {Problem} `contact_list_not_found`
 */
export async function listContacts(
  context: Context,
  asked: ContactSearch,
  { offset, limit }: Slice,
): Promise<{ total: number; contacts: ContactSummary[] }> {
  if (asked.list !== undefined) await assertList(context, asked.list)
  const db = context.em.getKysely<Tables>()
  const found = db.selectFrom(idsOf(context, asked))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  if (offset >= total) return { total, contacts: [] }
  const page = found.select('found.id').orderBy('found.id').offset(offset).limit(limit)
  const contacts = await db
    .selectFrom('contact')
    .select(['id', 'name', 'email', 'unsubscribed', 'custom'])
    .where('id', 'in', page)
    .orderBy('id')
    .execute()
  return { total, contacts }
}
