import { knownOrNew } from '../../../domain/contact/known.ts'
import { deleteList, summariseList, updateList } from '../../../domain/contact/lists.ts'
import { addMembers, removeMembers } from '../../../domain/contact/members.ts'
import { readPasted } from '../../../domain/contact/pasted.ts'
import { problems } from '../../../domain/problem.ts'
import { ask } from '../../forms/confirm.ts'
import { faultsOf } from '../../forms/field.ts'
import { backTo } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { all, one } from '../../respondent/input.ts'
import { safePath } from '../../same-origin.ts'
import { idIn, type SignedInRequest } from '../../session.ts'
import { BOOK } from '../contacts/view.ts'
import { listPage } from './show.ts'

const pathOf = ({ params }: SignedInRequest): string => `${BOOK}lists/${idIn(params.list)}/`
const chosenIn = ({ form }: SignedInRequest): number[] => all(form, 'contact').map(idIn).filter(Boolean)
const told = (added: number) =>
  added === 0
    ? 'No contacts added. They were all in the list already.'
    : `${pluralize(added, 'contact')} added to the list.`

export const showList = (request: SignedInRequest): Promise<PageResult> => listPage(request)

/** Gives the list another name or colour. */
export async function changeList(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const draft = { name: one(form, 'name') ?? '', color: one(form, 'color') }
  try {
    await request.write((context) => updateList(context, idIn(params.list), draft))
  } catch (error) {
    return listPage(request, faultsOf(request.toProblem(error), ['name', 'color']))
  }
  request.flash('List saved.')
  return { redirect: pathOf(request) }
}

/** Puts people into the list by their addresses; who is new becomes a contact. */
export async function addToList(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  try {
    const added = await request.write(async (context) => {
      const { ids } = await knownOrNew(context, readPasted(one(form, 'addresses') ?? '', 'addresses'))
      return addMembers(context, idIn(params.list), { ids, field: 'addresses' })
    })
    request.flash(told(added))
  } catch (error) {
    return listPage(request, faultsOf(request.toProblem(error), ['addresses']))
  }
  return { redirect: pathOf(request) }
}

/** Puts contacts that were chosen in the address book into a list. */
export async function putIntoList(request: SignedInRequest): Promise<PageResult> {
  const { form, context } = request
  const back = safePath(one(form, 'back'), context.services, BOOK)
  const ids = chosenIn(request)
  if (!ids.length) request.flash('Select at least one contact.')
  else {
    const { name } = await summariseList(context, idIn(one(form, 'list')))
    const added = await request.write((inside) =>
      addMembers(inside, idIn(one(form, 'list')), { ids, field: 'contact' }),
    )
    request.flash(
      added === 0
        ? `No contacts added. They were all in “${name}” already.`
        : `${pluralize(added, 'contact')} added to “${name}”.`,
    )
  }
  return { redirect: back }
}

/** Takes contacts out of the list; they stay in the address book. */
export async function takeFromList(request: SignedInRequest): Promise<PageResult> {
  const ids = chosenIn(request)
  if (!ids.length) throw problems.invalidField('contact', 'must have at least one')
  await request.write((context) => removeMembers(context, idIn(request.params.list), { ids, field: 'contact' }))
  request.flash(`${pluralize(ids.length, 'contact')} removed from the list.`)
  return { redirect: pathOf(request) }
}

/** Asks before nobody remembers who was in it. */
export async function askToDropList(request: SignedInRequest): Promise<PageResult> {
  const { name, contacts } = await summariseList(request.context, idIn(request.params.list))
  return ask(request, {
    title: `Delete list “${name}”?`,
    above: backTo(pathOf(request), name),
    text: `This deletes the list of ${pluralize(contacts, 'contact')}. The contacts stay in your address book.`,
    button: 'Delete list',
    keep: { label: 'Cancel', path: pathOf(request) },
  })
}

/** The list goes, its contacts stay. */
export async function dropList(request: SignedInRequest): Promise<PageResult> {
  const { name, id } = await summariseList(request.context, idIn(request.params.list))
  await request.write((context) => deleteList(context, id))
  request.flash(`List “${name}” deleted. Its contacts are still in your address book.`)
  return { redirect: `${BOOK}lists/` }
}
