import { deleteList, summariseList, updateList } from '../../../domain/contact/lists.ts'
import { addMembers, removeMembers } from '../../../domain/contact/members.ts'
import { findOrCreateContacts, parsePastedAddresses } from '../../../domain/contact/pasted-addresses.ts'
import { safePath } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH } from '../contacts/view.ts'
import { listPage } from './show.ts'

const pathOf = ({ params }: SignedInRequest): string => `${CONTACTS_PATH}lists/${parseId(params.list)}/`
const readContactIds = ({ form }: SignedInRequest): number[] => formValues(form, 'contact').map(parseId).filter(Boolean)
const addedText = (added: number) =>
  added === 0
    ? t('No contacts added. All of them were already in the list.')
    : t('{contacts} added to the list.', { contacts: pluralize(added, 'contact') })

export const showList = (request: SignedInRequest): Promise<PageResult> => listPage(request)

/** Changes the name and the colour of a list. */
export async function changeList(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const draft = { name: formValue(form, 'name') ?? '', color: formValue(form, 'color') }
  try {
    await request.write((context) => updateList(context, parseId(params.list), draft))
  } catch (error) {
    return listPage(request, fieldErrorsOf(request.toProblem(error), ['name', 'color']))
  }
  request.flash(t('List saved.'))
  return { redirect: pathOf(request) }
}

/** Adds people to the list by email address. Creates a contact for each address that is not in the address book. */
export async function addToList(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  try {
    const added = await request.write(async (context) => {
      const { ids } = await findOrCreateContacts(
        context,
        parsePastedAddresses(formValue(form, 'addresses') ?? '', 'addresses'),
      )
      return addMembers(context, parseId(params.list), { ids, field: 'addresses' })
    })
    request.flash(addedText(added))
  } catch (error) {
    return listPage(request, fieldErrorsOf(request.toProblem(error), ['addresses']))
  }
  return { redirect: pathOf(request) }
}

/** Adds the contacts selected in the address book to a list. */
export async function addSelectedToList(request: SignedInRequest): Promise<PageResult> {
  const { form, context } = request
  const back = safePath(formValue(form, 'back'), context.services, CONTACTS_PATH)
  const ids = readContactIds(request)
  if (!ids.length) request.flash(t('Select at least one contact.'))
  else {
    const { name } = await summariseList(context, parseId(formValue(form, 'list')))
    const added = await request.write((inside) =>
      addMembers(inside, parseId(formValue(form, 'list')), { ids, field: 'contact' }),
    )
    request.flash(
      added === 0
        ? t('No contacts added. All of them were already in “{name}”.', { name })
        : t('{contacts} added to “{name}”.', { contacts: pluralize(added, 'contact'), name }),
    )
  }
  return { redirect: back }
}

/** Removes contacts from the list. The contacts stay in the address book. */
export async function removeFromList(request: SignedInRequest): Promise<PageResult> {
  const ids = readContactIds(request)
  if (!ids.length) request.flash(t('Select at least one contact.'))
  else {
    await request.write((context) => removeMembers(context, parseId(request.params.list), { ids, field: 'contact' }))
    request.flash(t('{contacts} removed from the list.', { contacts: pluralize(ids.length, 'contact') }))
  }
  return { redirect: pathOf(request) }
}

/** Asks for confirmation before a contact list is deleted. */
export async function confirmDeleteList(request: SignedInRequest): Promise<PageResult> {
  const { name, contacts } = await summariseList(request.context, parseId(request.params.list))
  return confirmPage(request, {
    title: t('Delete list “{name}”?', { name }),
    beforeHeading: backLink(pathOf(request), name),
    text: t('This deletes the list, which has {contacts}. The contacts stay in your address book.', {
      contacts: pluralize(contacts, 'contact'),
    }),
    button: t('Delete list'),
    cancel: { label: t('Cancel'), path: pathOf(request) },
  })
}

/** Deletes a contact list. The contacts stay in the address book. */
export async function removeList(request: SignedInRequest): Promise<PageResult> {
  const { name, id } = await summariseList(request.context, parseId(request.params.list))
  await request.write((context) => deleteList(context, id))
  request.flash(t('List “{name}” deleted. Its contacts are still in your address book.', { name }))
  return { redirect: `${CONTACTS_PATH}lists/` }
}
