import { LockMode } from '@mikro-orm/core'
import type { AliasedExpression, Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Contact } from './contact.ts'
import { assertList } from './lists.ts'

/** A contact as the API and the pages show it. */
export interface ContactSummary {
  id: number
  name: string
  email: string
  unsubscribed: boolean
  /** Values by the name of the custom field. */
  custom: Readonly<Record<string, string>>
}

/**
 * Returns a contact of the actor as an entity; inside a transaction its row is locked.
 * @throws {Problem} `contact_not_found`
 */
export const findContact = ({ em, actor }: Context, id: number): Promise<Contact> =>
  em.findOneOrFail(
    Contact,
    { id, owner: actor.id },
    {
      failHandler: problems.contactNotFound,
      ...(em.isInTransaction() && { lockMode: LockMode.PESSIMISTIC_WRITE }),
    },
  )

interface ContactSearch {
  /** A part of the name, the email address or the value of a custom field, regardless of case. */
  search?: string | undefined
  /** Only the members of this contact list. */
  list?: number | undefined
  /** Only the recipients of this email. */
  email?: number | undefined
  /** Without the recipients of this email. */
  exceptEmail?: number | undefined
}

/**
 * Builds a query of the contacts of the actor that match a search, without joins, so that a count can use an index
 * alone.
 */
export function contactsOf({ em, actor }: Context, { search, list, email, exceptEmail }: ContactSearch) {
  const db = em.getKysely<Tables>()
  let query = db.selectFrom('contact').where('contact.owner_id', '=', actor.id)
  if (search?.trim()) query = query.where(containsText(search))
  if (list !== undefined)
    query = query.where(
      'contact.id',
      'in',
      db.selectFrom('contact_list_member').select('contact_id').where('list_id', '=', list),
    )
  const recipients = (emailId: number) =>
    db
      .selectFrom('email_message')
      .select('contact_id')
      .where('email_id', '=', emailId)
      .where('contact_id', 'is not', null)
      .$castTo<{ contact_id: number }>()
  if (email !== undefined) query = query.where('contact.id', 'in', recipients(email))
  if (exceptEmail !== undefined) query = query.where('contact.id', 'not in', recipients(exceptEmail))
  return query
}

/**
 * Builds a query of the IDs of matching contacts. If the search has no other condition than a list, the query reads
 * only the members of the list.
 */
function idsOf(context: Context, search: ContactSearch): AliasedExpression<{ id: number }, 'found'> {
  const { list, email, exceptEmail } = search
  if (list === undefined || email !== undefined || exceptEmail !== undefined || search.search?.trim())
    return contactsOf(context, search).select('contact.id').as('found')
  const members = context.em.getKysely<Tables>().selectFrom('contact_list_member').where('list_id', '=', list)
  return members.select('contact_id as id').as('found')
}

/**
 * Returns contacts of the actor, oldest first, so that new contacts do not shift the pages. Reads only the contacts of
 * the page, so that pages far down the list are fast too.
 * @returns the total number of matches, and the requested slice
 * @throws {Problem} `contact_list_not_found`
 */
export async function listContacts(
  context: Context,
  search: ContactSearch,
  { offset, limit }: Slice,
): Promise<{ total: number; contacts: ContactSummary[] }> {
  if (search.list !== undefined) await assertList(context, search.list)
  const db = context.em.getKysely<Tables>()
  const found = db.selectFrom(idsOf(context, search))
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

/**
 * Builds the condition that the name, the email address or a custom field contains a text, regardless of case. The
 * condition uses the generated column with the trigram index; `%` and `_` are escaped.
 */
const containsText =
  (term: string) =>
  (eb: ExpressionBuilder<Tables, 'contact'>): Expression<SqlBool> => {
    const pattern = `%${term.trim().replace(/[\\%_]/g, '\\$&')}%`
    return eb('contact.search', 'like', eb.fn<string>('lower', [eb.val(pattern)]))
  }
