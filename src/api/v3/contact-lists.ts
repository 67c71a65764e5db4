import * as lists from '../../domain/contact/lists.ts'
import type { ContactSelection } from '../../domain/contact/members.ts'
import * as members from '../../domain/contact/members.ts'
import * as queries from '../../domain/contact/queries.ts'
import { idsOf } from '../ids.ts'
import { pageReply } from '../paging.ts'
import { contactListView, contactView, memberView } from './contact-view.ts'
import type { Operation, Schemas } from './operation.ts'
import { collectionPage } from './page.ts'
import { collectionUri, contactListUri } from './urls.ts'

export const listContactLists: Operation<'listContactLists'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, lists: items } = await lists.listLists(context, page)
  const results = items.map((list) => contactListView(context.services, list))
  return pageReply(collectionUri(context.services, 'contact-lists'), search, page, total, results)
}

export const createContactList: Operation<'createContactList'> = async ({ context, body }) => {
  const { id } = await lists.createList(context, { name: body.name, color: body.color })
  return { status: 201, body: contactListView(context.services, await lists.summariseList(context, id)) }
}

export const getContactList: Operation<'getContactList'> = async ({ context, path }) => {
  return { status: 200, body: contactListView(context.services, await lists.summariseList(context, path.list_id)) }
}

export const updateContactList: Operation<'updateContactList'> = async ({ context, path, body }) => {
  await lists.updateList(context, path.list_id, { name: body.name, color: body.color })
  return { status: 200, body: contactListView(context.services, await lists.summariseList(context, path.list_id)) }
}

export const deleteContactList: Operation<'deleteContactList'> = async ({ context, path }) => {
  await lists.deleteList(context, path.list_id)
  return { status: 200, body: 'OK' }
}

export const listContactListContacts: Operation<'listContactListContacts'> = async ({
  context,
  path,
  query,
  search,
}) => {
  const page = collectionPage(query)
  const filter = { search: query.search, list: path.list_id }
  const { total, contacts } = await queries.listContacts(context, filter, page)
  const results = contacts.map((contact) => contactView(context.services, contact))
  return pageReply(`${contactListUri(context.services, path.list_id)}contacts/`, search, page, total, results)
}

export const addContactListContacts: Operation<'addContactListContacts'> = async ({ context, path, body }) => {
  await members.addMembers(context, path.list_id, selectionOf(body))
  const page = collectionPage({})
  const { total, contacts } = await queries.listContacts(context, { list: path.list_id }, page)
  const uri = `${contactListUri(context.services, path.list_id)}contacts/`
  return { ...pageReply(uri, '', page, total, contacts.map(memberView)), status: 201 }
}

export const removeContactListContacts: Operation<'removeContactListContacts'> = async ({
  context,
  path,
  query,
  body,
}) => {
  await members.removeMembers(context, path.list_id, { ids: idsOf('id', query.id ?? body.id), field: 'id' })
  return { status: 200, body: 'OK' }
}

export const getContactListContact: Operation<'getContactListContact'> = async ({ context, path }) => {
  return {
    status: 200,
    body: contactView(context.services, await members.findMember(context, path.list_id, path.contact_id)),
  }
}

export const removeContactListContact: Operation<'removeContactListContact'> = async ({ context, path }) => {
  await members.removeMember(context, path.list_id, path.contact_id)
  return { status: 200, body: 'OK' }
}

/** Returns the contacts to add: existing contacts, or a new contact. */
function selectionOf({ id, name, email, ...custom }: Schemas['MemberAddition']): ContactSelection {
  if (id !== undefined) return { ids: idsOf('id', id), field: 'id' }
  return { create: { name: name ?? '', email: email ?? '', custom } }
}
