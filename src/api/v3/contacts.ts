import { Readable } from 'node:stream'
import * as bounces from '../../domain/contact/bounced-address.ts'
import * as commands from '../../domain/contact/commands.ts'
import * as erasure from '../../domain/contact/erase.ts'
import * as exports from '../../domain/contact/export.ts'
import * as imports from '../../domain/contact/import.ts'
import * as queries from '../../domain/contact/queries.ts'
import { tableText } from '../../domain/table/read-table.ts'
import { attachment } from '../attachment.ts'
import { pageReply } from '../paging.ts'
import { contactBounceView, contactView, erasureView } from './contact-view.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { collectionUri } from './urls.ts'

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
