import * as commands from '../../domain/contact/commands.ts'
import * as queries from '../../domain/contact/queries.ts'
import { paged } from '../paging.ts'
import { contactView } from './contact-view.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { collectionUri } from './urls.ts'

export const listContacts: Operation<'listContacts'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, contacts } = await queries.listContacts(context, { search: query.search }, page)
  const results = contacts.map((contact) => contactView(context.site, contact))
  return paged(collectionUri(context.site, 'contacts'), search, page, total, results)
}

export const createContact: Operation<'createContact'> = async ({ context, body: { name, email, ...custom } }) => {
  const contact = await commands.createContact(context, { name, email, custom })
  return { status: 201, body: contactView(context.site, contact) }
}

export const getContact: Operation<'getContact'> = async ({ context, path }) => {
  return { status: 200, body: contactView(context.site, await queries.findContact(context, path.contact_id)) }
}

export const updateContact: Operation<'updateContact'> = async ({
  context,
  path,
  body: { name, email, ...custom },
}) => {
  const contact = await commands.updateContact(context, path.contact_id, { name, email, custom })
  return { status: 200, body: contactView(context.site, contact) }
}

export const deleteContact: Operation<'deleteContact'> = async ({ context, path }) => {
  await commands.deleteContact(context, path.contact_id)
  return { status: 200, body: 'OK' }
}
