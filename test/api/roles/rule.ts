import { toActor } from '../../../src/domain/account/account.ts'
import { createAccount } from '../../../src/domain/account/commands.ts'
import { acceptInvitation } from '../../../src/domain/group/colleague-invitations.ts'
import type { Role } from '../../../src/domain/group/group.ts'
import { inviteToSurvey } from '../../../src/domain/survey/team.ts'
import type { RequestOptions } from '../../support/client.ts'
import { createDraft } from '../../support/emails.ts'
import type { Person } from '../../support/world.ts'

/** The permissions of an operation. */
export interface Rule {
  /**
   * The roles that are sufficient for an operation on a survey or a group; an empty list for the owner only. `members`:
   * all members of the group. `private`: only the account that owns the object; other accounts get 404. `account`:
   * every account, for its own data.
   */
  may: readonly Role[] | 'members' | 'private' | 'account'
  /** Creates the objects of one call. @returns the values of the path parameters */
  params?: (owner: Person, survey: number) => Promise<Record<string, string | number>>
  /** Creates objects of the caller. @returns the values of path parameters */
  callerParams?: (caller: Person) => Promise<Record<string, string | number>>
  /** The status for the owner if the call fails because of the state of an object. */
  owner?: 400 | 409
  /** Returns the body. */
  request?: (survey: number, params: Record<string, string | number>) => RequestOptions
  /** Returns the query with `?`. */
  query?: (survey: number) => string
}

let count = 0

const create = async (owner: Person, path: string, sent: RequestOptions) => {
  const reply = await owner.post(path, sent)
  if (reply.status > 299) throw new Error(`${path}: ${reply.text}`)
  return reply.body
}

export const collector = async (owner: Person, survey: number) => ({
  collector_id: (await create(owner, `/api/v3/surveys/${survey}/collectors/`, { json: { name: 'Poster' } })).id,
})

export const response = async (owner: Person, survey: number) => {
  const body = await create(owner, `/api/v3/surveys/${survey}/responses/`, { json: { a: 'x' } })
  return { response_id: body.id ?? Number(/responses\/(\d+)\//.exec(JSON.stringify(body))![1]) }
}

/** Creates a response and moves it to the trash. */
export const deletedResponse = async (owner: Person, survey: number) => {
  const params = await response(owner, survey)
  await owner.delete(`/api/v3/surveys/${survey}/responses/${params.response_id}/`)
  return params
}

/** Creates a survey and moves it to the trash. */
export const deletedSurvey = async (owner: Person) => {
  const { id } = await create(owner, '/api/v3/surveys/', { json: { name: 'Old' } })
  await owner.delete(`/api/v3/surveys/${id}/`)
  return { deleted_survey_id: id }
}

/** Creates a response with a file. */
export const uploadedFile = async (owner: Person, survey: number) => {
  const path = `/api/v3/surveys/${survey}/files/?question=photo&name=note.txt`
  const headers = { 'content-type': 'application/octet-stream' }
  const { key: photo } = await create(owner, path, { body: 'A note.', headers })
  const { id } = await create(owner, `/api/v3/surveys/${survey}/responses/`, { json: { photo } })
  return { response_id: id, file_key: photo }
}

/** Invites a colleague to the team of a survey. */
export const teamInvitation = async (owner: Person, survey: number) => {
  count += 1
  const json = { email: `colleague${count}@example.net`, roles: 'view' }
  return { invitation_id: (await create(owner, `/api/v3/surveys/${survey}/team/invitations/`, { json })).id }
}

/** Creates a comment. */
export const comment = async (owner: Person, survey: number) => ({
  comment_id: (await create(owner, `/api/v3/surveys/${survey}/comments/`, { json: { text: 'Why?' } })).id,
})

/** Creates a preview link. */
export const previewLink = async (owner: Person, survey: number) => ({
  preview_link_id: (await create(owner, `/api/v3/surveys/${survey}/preview-links/`, { json: {} })).id,
})

/** Saves a question in the library, and shares it with a group of the survey if there is one. */
export const libraryQuestion = async (owner: Person, survey: number) => {
  const { results } = (await owner.get(`/api/v3/surveys/${survey}/groups/`)).body
  const json = { survey, question: 'a', ...(results[0] && { group: results[0].id }) }
  return { library_question_id: (await create(owner, '/api/v3/question-library/', { json })).id }
}

/** Offers a survey to another person. */
export const handOver = async (owner: Person, survey: number) => {
  count += 1
  const json = { surveys: survey, email: `heir${count}@example.net` }
  return { hand_over_id: (await create(owner, '/api/v3/hand-overs/', { json })).id }
}

/** Creates a member of the team of a survey. */
export const teamMember = async (owner: Person, survey: number) => {
  count += 1
  const email = `member${count}@example.net`
  return owner.act(async (context) => {
    const account = await createAccount(context, {
      username: `member${count}`,
      email,
      password: 'correct horse battery',
    })
    const { url } = await inviteToSurvey(context, survey, { email, roles: 'view' })
    await acceptInvitation({ ...context, actor: toActor(account) }, new URL(url!).searchParams.get('key')!)
    return { member_id: account.id }
  })
}

/** Imports a survey, and shares it with the groups of another survey. */
export const imported = async (owner: Person, survey: number) => {
  const body = JSON.stringify({ elements: [{ type: 'text', name: 'why' }] })
  const headers = { 'content-type': 'application/octet-stream' }
  const { survey_uri: uri } = await create(owner, '/api/v3/imports/', { body, headers })
  const survey_id = Number(/surveys\/(\d+)\//.exec(uri)![1])
  const { body: groups } = await owner.get(`/api/v3/surveys/${survey}/groups/`)
  const group = groups.results.map(({ id }: { id: number }) => id).join(' ')
  await owner.send('PUT', `/api/v3/surveys/${survey_id}/groups/`, { json: { group } })
  return { survey_id }
}

export const report = async (owner: Person, survey: number) => ({
  report_id: (await create(owner, `/api/v3/surveys/${survey}/reports/`, { json: { title: 'Spring' } })).id,
})

export const embed = async (owner: Person, survey: number) => ({
  embed_id: (await create(owner, '/api/v3/embeds/', { json: { survey, kind: 'link' } })).id,
})

export const template = async (owner: Person, survey: number) => ({
  template_id: (await create(owner, '/api/v3/templates/', { json: { name: 'Kept', survey } })).id,
})

export const list = async (owner: Person) => ({
  list_id: (await create(owner, '/api/v3/contact-lists/', { json: { name: 'People' } })).id,
})

/** Returns a name that no other object has. */
export const uniqueName = () => `name ${++count}`

export const category = async (owner: Person, survey: number) => ({
  category_id: (await create(owner, `/api/v3/surveys/${survey}/coding/categories/`, { json: { name: uniqueName() } }))
    .id,
})

export const codingRule = async (owner: Person, survey: number) => {
  const json = { contains: 'x', category: (await category(owner, survey)).category_id }
  return { rule_id: (await create(owner, `/api/v3/surveys/${survey}/coding/rules/`, { json })).id }
}

/** Opens a round of blind coders. A round that is open already is closed before. */
export const codingRound = async (owner: Person, survey: number) => {
  const path = `/api/v3/surveys/${survey}/coding/rounds/`
  for (const { id } of (await owner.get(path)).body.results) await owner.put(`${path}${id}/`, { json: {} })
  return { round_id: (await create(owner, path, {})).id }
}

export const closedRound = async (owner: Person, survey: number) => {
  const { round_id } = await codingRound(owner, survey)
  await owner.put(`/api/v3/surveys/${survey}/coding/rounds/${round_id}/`, { json: {} })
  return { round_id }
}

export const contact = async (owner: Person) => {
  count += 1
  return {
    contact_id: (await create(owner, '/api/v3/contacts/', { json: { name: 'C', email: `c${count}@x.org` } })).id,
  }
}

/** Creates a contact in a list. */
export const listedContact = async (owner: Person) => {
  const { list_id } = await list(owner)
  const { contact_id } = await contact(owner)
  await create(owner, `/api/v3/contact-lists/${list_id}/contacts/`, { json: { id: contact_id } })
  return { list_id, contact_id }
}

const TEXT = { subject: 'Tea?', message: 'Please: [Invite Link]' }
export const EMAIL_TEXT = { ...TEXT, sender: 'Ann <ann@example.org>' }
export const invitation = {
  ...TEXT,
  name: 'B',
  email: 'b@example.net',
  sender_name: 'Ann',
  sender_email: 'ann@example.org',
}

/** Creates a draft email with one recipient. */
export const email = async (owner: Person, survey: number) => {
  const { contact_id } = await contact(owner)
  const email_id = await createDraft(owner, survey, [{ ids: [contact_id], field: 'contacts' }])
  return { email_id, contact_id }
}

/** Returns a new URL without a server. */
export const unusedUrl = () => `http://127.0.0.1:9/${++count}`

export const webhook = async (owner: Person) => {
  const json = { subscription_url: unusedUrl(), event: 'contact_create' }
  return { webhook_id: (await create(owner, '/api/v3/webhooks/', { json })).id }
}

export const delivery = async (owner: Person) => {
  const { webhook_id } = await webhook(owner)
  await create(owner, `/api/v3/webhooks/${webhook_id}/ping/`, {})
  const { results } = (await owner.get(`/api/v3/webhooks/${webhook_id}/deliveries/`)).body
  return { webhook_id, delivery_id: results[0].id }
}

/** Returns the rule of an operation that only the account that owns the object can call. */
export const privateRule = (params: NonNullable<Rule['params']>, sent?: object): Rule => ({
  may: 'private',
  params,
  ...(sent && { request: () => ({ json: sent }) }),
})
export const ACCOUNT_RULE: Rule = { may: 'account' }
