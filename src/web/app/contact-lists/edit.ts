import { knownOrNew } from '../../../domain/contact/known.ts'
import { deleteList, summariseList, updateList } from '../../../domain/contact/lists.ts'
import { addMembers, removeMembers } from '../../../domain/contact/members.ts'
import { readPasted } from '../../../domain/contact/pasted.ts'
import { problems } from '../../../domain/problem.ts'
import { ask } from '../../forms/confirm.ts'
import { counted } from '../../layout/pluralize.ts'
import { backTo } from '../../layout/back-link.ts'
import { faultsOf } from '../../forms/field.ts'
import { safePath } from '../../same-origin.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { all, one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { listPage } from './show.ts'
import { BOOK } from '../contacts/view.ts'

const pathOf = ({ params }: SignedIn): string => `${BOOK}lists/${idIn(params.list)}/`
const chosenIn = ({ form }: SignedIn): number[] => all(form, 'contact').map(idIn).filter(Boolean)
const told = (added: number) =>
  added === 0 ? 'They are in it already.' : `${counted(added, 'contact')} put into the list.`

export const showList = (visit: SignedIn): Promise<Answer> => listPage(visit)

/** Gives the list another name or colour. */
export async function changeList(visit: SignedIn): Promise<Answer> {
  const { form, params } = visit
  const draft = { name: one(form, 'name') ?? '', color: one(form, 'color') }
  try {
    await visit.write((context) => updateList(context, idIn(params.list), draft))
  } catch (error) {
    return listPage(visit, faultsOf(visit.known(error), ['name', 'color']))
  }
  visit.tell('The list is saved.')
  return { redirect: pathOf(visit) }
}

/** Puts people into the list by their addresses; who is new becomes a contact. */
export async function addToList(visit: SignedIn): Promise<Answer> {
  const { form, params } = visit
  try {
    const added = await visit.write(async (context) => {
      const { ids } = await knownOrNew(context, readPasted(one(form, 'addresses') ?? '', 'addresses'))
      return addMembers(context, idIn(params.list), { ids, field: 'addresses' })
    })
    visit.tell(told(added))
  } catch (error) {
    return listPage(visit, faultsOf(visit.known(error), ['addresses']))
  }
  return { redirect: pathOf(visit) }
}

/** Puts contacts that were chosen in the address book into a list. */
export async function putIntoList(visit: SignedIn): Promise<Answer> {
  const { form, context } = visit
  const back = safePath(one(form, 'back'), context.site, BOOK)
  const ids = chosenIn(visit)
  if (!ids.length) visit.tell('Nobody was chosen.')
  else {
    const { name } = await summariseList(context, idIn(one(form, 'list')))
    const added = await visit.write((inside) => addMembers(inside, idIn(one(form, 'list')), { ids, field: 'contact' }))
    visit.tell(added === 0 ? `They are in “${name}” already.` : `${counted(added, 'contact')} put into “${name}”.`)
  }
  return { redirect: back }
}

/** Takes contacts out of the list; they stay in the address book. */
export async function takeFromList(visit: SignedIn): Promise<Answer> {
  const ids = chosenIn(visit)
  if (!ids.length) throw problems.invalidField('contact', 'choose somebody first')
  await visit.write((context) => removeMembers(context, idIn(visit.params.list), { ids, field: 'contact' }))
  visit.tell(`${counted(ids.length, 'contact')} taken out of the list.`)
  return { redirect: pathOf(visit) }
}

/** Asks before nobody remembers who was in it. */
export async function askToDropList(visit: SignedIn): Promise<Answer> {
  const { name, contacts } = await summariseList(visit.context, idIn(visit.params.list))
  return ask(visit, {
    title: `Delete the list “${name}”?`,
    above: backTo(pathOf(visit), name),
    text: `It is forgotten that ${counted(contacts, 'contact')} ${contacts === 1 ? 'is' : 'are'} in it. The contacts themselves stay.`,
    button: 'Delete the list',
    keep: { label: 'Keep it', path: pathOf(visit) },
  })
}

/** The list goes, its contacts stay. */
export async function dropList(visit: SignedIn): Promise<Answer> {
  const { name, id } = await summariseList(visit.context, idIn(visit.params.list))
  await visit.write((context) => deleteList(context, id))
  visit.tell(`“${name}” is deleted. Its contacts are still there.`)
  return { redirect: `${BOOK}lists/` }
}
