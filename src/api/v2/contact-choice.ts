import type { ContactSelection } from '../../domain/contact/members.ts'
import { problems } from '../../domain/problem.ts'
import { idsOf } from '../ids.ts'
import { CUSTOM_FIELD_PREFIX, customFieldsIn } from './contact-view.ts'
import type { Schemas } from './operation.ts'

/**
 * Returns the contacts that the request body or the query selects. They are added to or removed from a contact list, or
 * become recipients of an email.
 * @throws {Problem} `invalid_request` if the request selects no contacts, has both `contacts` and `contact_list`, or
 *   has an invalid ID
 */
export function selectionOf({ contacts, contact_list: list }: Schemas['ContactRemoval']): ContactSelection {
  if (contacts !== undefined && list !== undefined)
    throw problems.invalidField('contact_list', 'mutually_exclusive', { other: 'contacts' })
  if (list !== undefined) return { list }
  return { ids: idsOf('contacts', contacts), field: 'contacts' }
}

/**
 * Returns the contacts to add: a new contact if the body has a name or an email address, otherwise the contacts that
 * {@link selectionOf} returns.
 */
export function additionOf(body: Schemas['ContactAddition']): ContactSelection {
  const { name, email } = body
  const creates = name !== undefined || email !== undefined
  if (!creates) return selectionOf(body)
  if (body.contacts !== undefined || body.contact_list !== undefined)
    throw problems.invalidField('name', 'mutually_exclusive', { other: 'contacts or contact_list' })
  return { create: { name: name ?? '', email: email ?? '', custom: customFieldsIn(body) }, prefix: CUSTOM_FIELD_PREFIX }
}
