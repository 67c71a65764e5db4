import { Readable } from 'node:stream'
import type { Bounce } from '../../domain/contact/bounced-address.ts'
import * as bounces from '../../domain/contact/bounced-address.ts'
import * as commands from '../../domain/contact/commands.ts'
import type { Receipt } from '../../domain/contact/erase.ts'
import * as erasure from '../../domain/contact/erase.ts'
import * as exports from '../../domain/contact/export.ts'
import * as imports from '../../domain/contact/import.ts'
import type { ListSummary } from '../../domain/contact/lists.ts'
import * as lists from '../../domain/contact/lists.ts'
import type { ContactSelection } from '../../domain/contact/members.ts'
import * as members from '../../domain/contact/members.ts'
import type { ContactSummary } from '../../domain/contact/queries.ts'
import * as queries from '../../domain/contact/queries.ts'
import type { Services } from '../../domain/services.ts'
import { tableText } from '../../domain/table/read-table.ts'
import { attachment } from '../attachment.ts'
import { idsOf, pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { collectionUri, contactListUri, contactUri } from './urls.ts'

export const listContacts: Operation<'listContacts'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, contacts } = await queries.listContacts(context, { search: query.search }, page)
  const results = contacts.map((contact) => contactView(context.services, contact))
  return pageReply(collectionUri(context.services, 'contacts'), search, page, total, results)
}

export const createContact: Operation<'createContact'> = async ({ context, body: { name, email, ...custom } }) => {
  const contact = await commands.createContact(context, { name, email, custom })
  return { status: 201, body: contactView(context.services, contact) }
}

export const getContact: Operation<'getContact'> = async ({ context, path }) => {
  return { status: 200, body: contactView(context.services, await queries.findContact(context, path.contact_id)) }
}

export const updateContact: Operation<'updateContact'> = async ({
  context,
  path,
  body: { id, contact_uri, name, email, unsubscribed, ...custom },
}) => {
  const contact = await commands.updateContact(context, path.contact_id, { name, email, unsubscribed, custom })
  return { status: 200, body: contactView(context.services, contact) }
}

export const deleteContact: Operation<'deleteContact'> = async ({ context, path }) => {
  await commands.deleteContact(context, path.contact_id)
  return { status: 200, body: 'OK' }
}

export const getContactBounce: Operation<'getContactBounce'> = async ({ context, path }) => {
  return { status: 200, body: contactBounceView(await bounces.findBounce(context, path.contact_id)) }
}

export const deleteContactBounce: Operation<'deleteContactBounce'> = async ({ context, path }) => {
  await bounces.forgetBounce(context, path.contact_id)
  return { status: 200, body: 'OK' }
}

export const eraseContact: Operation<'eraseContact'> = async ({ context, path }) => {
  return { status: 200, body: erasureView(await erasure.eraseContact(context, path.contact_id)) }
}

export const exportContacts: Operation<'exportContacts'> = async ({ context, query }) => {
  const { search, formula_guard: formulaGuard, bom } = query
  return {
    status: 200,
    stream: Readable.from(exports.exportContacts(context, { search, formulaGuard, bom }), { objectMode: false }),
    headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': attachment('contacts.csv') },
  }
}

export const importContacts: Operation<'importContacts'> = async ({ context, body }) => {
  const table = typeof body === 'string' ? body : await tableText(context, body)
  return { status: 200, body: await imports.importContacts(context, table) }
}

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

/** Shows a contact (docs/specification.md 8.1). Custom fields are members of the same object as the fixed fields. */
const contactView = (services: Services, contact: ContactSummary): Schemas['Contact'] => ({
  id: contact.id,
  contact_uri: contactUri(services, contact.id),
  name: contact.name,
  email: contact.email,
  unsubscribed: contact.unsubscribed,
  ...contact.custom,
})

/** Shows a contact of a list in the reply to a request that adds contacts to the list. */
const memberView = ({ id, name, email }: ContactSummary): Schemas['Member'] => ({ id, name, email })

/** Shows a contact list (docs/specification.md 8.4). */
const contactListView = (services: Services, list: ListSummary): Schemas['ContactList'] => ({
  id: list.id,
  name: list.name,
  color: list.color,
  contacts_uri: `${contactListUri(services, list.id)}contacts/`,
  contacts: list.contacts,
})

const contactBounceView = (bounce: Bounce | undefined): Schemas['ContactBounce'] => ({
  bounced_at: bounce?.bouncedAt.toISOString() ?? null,
  reason: bounce?.reason ?? null,
})

const erasureView = (receipt: Receipt): Schemas['Erasure'] => ({
  erased_at: receipt.erasedAt.toISOString(),
  contact_id: receipt.contactId,
  contact: receipt.contact,
  responses: receipt.responses,
  invites: receipt.invites,
  messages: receipt.messages,
  webhook_deliveries: receipt.deliveries,
  development_mails: receipt.devEmails,
})
