import type { Choice } from '../../domain/contact/choice.ts'
import { problems } from '../../domain/problem.ts'
import { idsOf } from '../ids.ts'
import { CUSTOM, customIn } from './contact-view.ts'
import type { Schemas } from './operation.ts'

/**
 * The contacts that a body or a query means, as contact lists and e-mails take and lose them.
 * @throws {Problem} `invalid_request` for none, for both at once, and for what is no id
 */
export function choiceIn({ contacts, contact_list: list }: Schemas['ContactRemoval']): Choice {
  if (contacts !== undefined && list !== undefined)
    throw problems.invalidField('contact_list', 'mutually_exclusive', { other: 'contacts' })
  if (list !== undefined) return { list }
  return { ids: idsOf('contacts', contacts), field: 'contacts' }
}

/** As {@link choiceIn}, or the members of a new contact. */
export function additionIn(body: Schemas['ContactAddition']): Choice {
  const { name, email } = body
  const creates = name !== undefined || email !== undefined
  if (!creates) return choiceIn(body)
  if (body.contacts !== undefined || body.contact_list !== undefined)
    throw problems.invalidField('name', 'mutually_exclusive', { other: 'contacts or contact_list' })
  return { create: { name: name ?? '', email: email ?? '', custom: customIn(body) }, prefix: CUSTOM }
}
