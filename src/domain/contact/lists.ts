import { LockMode } from '@mikro-orm/core'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { ContactList } from './contact.ts'

/** The default color of a list (docs/specification.md 8.4). */
const DEFAULT_COLOR = '#9eb7c8'
const DEFAULT_NAME = 'New contact list'
const COLOR = /^#[0-9A-Fa-f]{6}$/

/** A contact list with the number of its contacts. */
export interface ListSummary {
  id: number
  name: string
  color: string
  /** The number of contacts in the list. */
  contacts: number
}

export interface ListDraft {
  name?: string | undefined
  color?: string | undefined
}

function checkColor(color: string): string {
  if (!COLOR.test(color)) throw problems.invalidField('color', 'invalid_format', {}, detail('hex_color'))
  return color
}

/**
 * Returns a list of the actor as an entity; inside a transaction its row is locked.
 * @throws {Problem} `contact_list_not_found`
 */
export const findList = ({ em, actor }: Context, id: number): Promise<ContactList> =>
  em.findOneOrFail(
    ContactList,
    { id, owner: actor.id },
    {
      failHandler: problems.contactListNotFound,
      ...(em.isInTransaction() && { lockMode: LockMode.PESSIMISTIC_WRITE }),
    },
  )

/**
 * Verifies that a list belongs to the actor.
 * @throws {Problem} `contact_list_not_found`
 */
export async function assertList({ em, actor }: Context, id: number): Promise<void> {
  if (!(await em.count(ContactList, { id, owner: actor.id }))) throw problems.contactListNotFound()
}

const summaries = ({ em, actor }: Context) =>
  em
    .getKysely<Tables>()
    .selectFrom('contact_list')
    .select((eb) => [
      'id',
      'name',
      'color',
      eb
        .selectFrom('contact_list_member')
        .select((inner) => inner.fn.countAll<number>().as('members'))
        .whereRef('list_id', '=', 'contact_list.id')
        .$asScalar()
        .$notNull()
        .as('contacts'),
    ])
    .where('owner_id', '=', actor.id)

/**
 * Returns one list with the number of its contacts.
 * @throws {Problem} `contact_list_not_found`
 */
export async function summariseList(context: Context, id: number): Promise<ListSummary> {
  const list = await summaries(context).where('id', '=', id).executeTakeFirst()
  if (!list) throw problems.contactListNotFound()
  return list
}

/**
 * Returns the lists of the actor, oldest first.
 * @returns the total number, and the requested slice
 */
export async function listLists(
  context: Context,
  { offset, limit }: Slice,
): Promise<{ total: number; lists: ListSummary[] }> {
  const total = await context.em.count(ContactList, { owner: context.actor.id })
  const lists = await summaries(context).orderBy('id').offset(offset).limit(limit).execute()
  return { total, lists }
}

/**
 * Creates an empty list.
 * @throws {Problem} `invalid_request`
 */
export async function createList({ em, actor, now }: Context, draft: ListDraft): Promise<ContactList> {
  const name = checkName(draft.name ?? DEFAULT_NAME)
  const color = checkColor(draft.color ?? DEFAULT_COLOR)
  const list = em.create(ContactList, { owner: actor.id, name, color, createdAt: now })
  await em.flush()
  return list
}

/**
 * Updates the name or color of a list.
 * @throws {Problem} `contact_list_not_found`, `invalid_request`
 */
export async function updateList(context: Context, id: number, { name, color }: ListDraft): Promise<void> {
  const list = await findList(context, id)
  if (name !== undefined) list.name = checkName(name)
  if (color !== undefined) list.color = checkColor(color)
  await context.em.flush()
}

/**
 * Deletes a list; its contacts remain.
 * @throws {Problem} `contact_list_not_found`
 */
export async function deleteList({ em, actor }: Context, id: number): Promise<void> {
  if (!(await em.nativeDelete(ContactList, { id, owner: actor.id }))) throw problems.contactListNotFound()
}
