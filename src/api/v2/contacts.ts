import * as commands from '../../domain/contact/commands.ts'
import * as queries from '../../domain/contact/queries.ts'
import { contactPage } from './contact-page.ts'
import { CUSTOM_FIELD_PREFIX, contactView, customFieldsIn } from './contact-view.ts'
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
