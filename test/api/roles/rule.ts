import type { Role } from '../../../src/domain/group/role.ts'
import type { RequestOptions } from '../../support/client.ts'
import type { Person } from '../../support/world.ts'

/** The permissions of an operation. */
export interface Rule {
  /**
   * The roles that are sufficient for an operation on a survey or a group; an empty list for the owner only; `everybody` for
   * all members. `own`: an object of one account, which others do not find. `apart`: an operation on the own account.
   */
  may: readonly Role[] | 'everybody' | 'own' | 'apart'
  /** Creates the objects of one call. @returns the values of the path parameters */
  params?: (owner: Person, survey: number) => Promise<Record<string, string | number>>
  /** Creates objects of the caller. @returns values of path parameters */
  brings?: (caller: Person) => Promise<Record<string, string | number>>
  /** The status for the owner if the call fails because of the state of an object. */
  owner?: 400 | 409
  /** Returns the body. */
  sent?: (survey: number, params: Record<string, string | number>) => RequestOptions
  /** Returns the query with `?`. */
  query?: (survey: number) => string
}

const made = async (owner: Person, path: string, sent: RequestOptions) => {
  const reply = await owner.post(path, sent)
  if (reply.status > 299) throw new Error(`${path}: ${reply.text}`)
  return reply.body
}

export const collector = async (owner: Person, survey: number) => ({
  collector_id: (await made(owner, `/api/v3/surveys/${survey}/collectors/`, { json: { name: 'Letters' } })).id,
})

export const response = async (owner: Person, survey: number) => {
  const body = await made(owner, `/api/v3/surveys/${survey}/responses/`, { json: { a: 'x' } })
  return { response_id: body.id ?? Number(/responses\/(\d+)\//.exec(JSON.stringify(body))![1]) }
}

export const report = async (owner: Person, survey: number) => ({
  report_id: (await made(owner, `/api/v3/surveys/${survey}/reports/`, { json: { title: 'Spring' } })).id,
})

export const embed = async (owner: Person, survey: number) => ({
  embed_id: (await made(owner, '/api/v3/embeds/', { json: { survey, kind: 'link' } })).id,
})

export const template = async (owner: Person, survey: number) => ({
  template_id: (await made(owner, '/api/v3/templates/', { json: { name: 'Kept', survey } })).id,
})

export const list = async (owner: Person) => ({
  list_id: (await made(owner, '/api/v3/contact-lists/', { json: { name: 'People' } })).id,
})

let count = 0

export const contact = async (owner: Person) => {
  count += 1
  return { contact_id: (await made(owner, '/api/v3/contacts/', { json: { name: 'C', email: `c${count}@x.org` } })).id }
}

/** A contact in a list. */
export const listed = async (owner: Person) => {
  const { list_id } = await list(owner)
  const { contact_id } = await contact(owner)
  await made(owner, `/api/v3/contact-lists/${list_id}/contacts/`, { json: { id: contact_id } })
  return { list_id, contact_id }
}

const MAIL = { subject: 'Tea?', message: 'Please: [Invite Link]' }
export const mail = { ...MAIL, sender: 'Ann <ann@example.org>' }
export const letter = {
  ...MAIL,
  name: 'B',
  email: 'b@example.net',
  sender_name: 'Ann',
  sender_email: 'ann@example.org',
}

/** A draft with one recipient. */
export const email = async (owner: Person, survey: number) => {
  const { id } = await made(owner, `/api/v2/emails/?survey=${survey}`, { json: mail })
  const { contact_id } = await contact(owner)
  await made(owner, `/api/v2/emails/${id}/recipients/`, { json: { contacts: String(contact_id) } })
  return { email_id: id, contact_id }
}

/** An address that nothing answers at. */
export const address = () => `http://127.0.0.1:9/${++count}`

export const webhook = async (owner: Person) => {
  const json = { subscription_url: address(), event: 'contact_create' }
  return { webhook_id: (await made(owner, '/api/v3/webhooks/', { json })).id }
}

export const delivery = async (owner: Person) => {
  const { webhook_id } = await webhook(owner)
  await made(owner, `/api/v3/webhooks/${webhook_id}/ping/`, {})
  const { results } = (await owner.get(`/api/v3/webhooks/${webhook_id}/deliveries/`)).body
  return { webhook_id, delivery_id: results[0].id }
}

/** Nothing of a survey, but what it says nobody else may see. */
export const own = (params: NonNullable<Rule['params']>, sent?: object): Rule => ({
  may: 'own',
  params,
  ...(sent && { sent: () => ({ json: sent }) }),
})
export const apart: Rule = { may: 'apart' }
