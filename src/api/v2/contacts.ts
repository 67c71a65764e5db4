import * as commands from '../../domain/contact/commands.ts'
import * as lists from '../../domain/contact/lists.ts'
import * as members from '../../domain/contact/members.ts'
import * as queries from '../../domain/contact/queries.ts'
import { sliceOf } from '../../lib/paging.ts'
import {
  additionOf,
  CUSTOM_FIELD_PREFIX,
  contactListView,
  contactPage,
  contactView,
  customFieldsIn,
  selectionOf,
} from './contact-view.ts'
import type { Operation } from './operation.ts'

export const listContacts: Operation<'listContacts'> = async ({ context, query }) => {
  return { status: 200, body: await contactPage(context, query) }
}

export const createContact: Operation<'createContact'> = async ({ context, body }) => {
  const draft = { name: body.name, email: body.email, custom: customFieldsIn(body) }
  return {
    status: 200,
    body: { contact: contactView(context.services, await commands.createContact(context, draft, CUSTOM_FIELD_PREFIX)) },
  }
}

export const getContact: Operation<'getContact'> = async ({ context, path }) => {
  return {
    status: 200,
    body: { contact: contactView(context.services, await queries.findContact(context, path.contact_id)) },
  }
}

export const deleteContact: Operation<'deleteContact'> = async ({ context, path }) => {
  await commands.deleteContact(context, path.contact_id)
  return { status: 200, body: { success: true } }
}

export const listContactLists: Operation<'listContactLists'> = async ({ context, query }) => {
  const slice = sliceOf({ ...query, default: 10, max: 200 })
  const { total, lists: items } = await lists.listLists(context, slice)
  return { status: 200, body: { lists: items.map((list) => contactListView(context.services, list)), total } }
}

export const createContactList: Operation<'createContactList'> = async ({ context, body }) => {
  const { id } = await lists.createList(context, { name: body.name })
  return { status: 200, body: { list: contactListView(context.services, await lists.summariseList(context, id)) } }
}

export const getContactList: Operation<'getContactList'> = async ({ context, path }) => {
  return {
    status: 200,
    body: { list: contactListView(context.services, await lists.summariseList(context, path.list_id)) },
  }
}

export const deleteContactList: Operation<'deleteContactList'> = async ({ context, path }) => {
  await lists.deleteList(context, path.list_id)
  return { status: 200, body: { success: true } }
}

export const listContactListContacts: Operation<'listContactListContacts'> = async ({ context, path, query }) => {
  return { status: 200, body: await contactPage(context, query, { list: path.list_id }) }
}

export const addContactListContacts: Operation<'addContactListContacts'> = async ({ context, path, body }) => {
  return { status: 200, body: { added: await members.addMembers(context, path.list_id, additionOf(body)) } }
}

export const removeContactListContacts: Operation<'removeContactListContacts'> = async ({
  context,
  path,
  query,
  body,
}) => {
  await members.removeMembers(context, path.list_id, selectionOf({ ...body, ...query }))
  return { status: 200, body: { success: true } }
}
