import type { Person } from '../../support/world.ts'
import {
  ACCOUNT_RULE,
  collector,
  contact,
  EMAIL_TEXT,
  email,
  invitation,
  list,
  privateRule,
  type Rule,
  response,
  unusedUrl,
} from '../roles/rule.ts'

const json = (body: object) => () => ({ json: body })

/**
 * Creates a group with the same members as the team. The tests change or delete this group instead of the team, which
 * later tests still use.
 */
const group = async (owner: Person) => {
  const [team] = (await owner.get('/api/v2/groups/')).body.groups
  const { id } = (await owner.post('/api/v2/groups/', { json: { name: 'Other' } })).body
  const members: { email: string }[] = (await owner.get(`/api/v2/groups/${team.id}/members/`)).body.members
  for (const { email } of members) await owner.put(`/api/v2/groups/${id}/members/`, { json: { email } })
  return { group_id: id, email: members[0]!.email }
}

const member: Rule['request'] = (_, { email }) => ({ json: { email } })

const recipient: Rule['request'] = (_, { contact_id }) => ({ json: { contacts: String(contact_id) } })

const groups = {
  listGroups: ACCOUNT_RULE,
  createGroup: ACCOUNT_RULE,
  getGroup: { may: 'members', params: group },
  renameGroup: { may: [], params: group, request: json({ name: 'Third' }) },
  deleteGroup: { may: [], params: group },
  listMembers: { may: 'members', params: group },
  setMember: { may: [], params: group, request: member },
  removeMember: { may: [], params: group, request: member },
} satisfies Record<string, Rule>

const aliases = Object.fromEntries(Object.entries(groups).map(([id, rule]) => [`${id}Alias`, rule]))

/** The rules of all operations of version 2. */
export const rules: Record<string, Rule> = {
  ...groups,
  ...aliases,
  getCurrentUser: ACCOUNT_RULE,
  getPlan: ACCOUNT_RULE,
  getUser: privateRule(async (owner) => ({ user_id: owner.actor.id })),
  getUserAlias: privateRule(async (owner) => ({ user_id: owner.actor.id })),
  createUser: ACCOUNT_RULE,
  createUserAlias: ACCOUNT_RULE,
  generateLoginUrl: ACCOUNT_RULE,
  listContactLists: ACCOUNT_RULE,
  createContactList: ACCOUNT_RULE,
  getContactList: privateRule(list),
  deleteContactList: privateRule(list),
  listContactListContacts: privateRule(list),
  addContactListContacts: {
    may: 'private',
    params: list,
    request: json({ name: 'D', email: 'e@example.org' }),
  },
  removeContactListContacts: {
    may: 'private',
    params: async (owner) => ({ ...(await list(owner)), ...(await contact(owner)) }),
    request: recipient,
  },
  listContacts: { may: ['Deploy'], query: (survey) => `?survey=${survey}` },
  createContact: ACCOUNT_RULE,
  getContact: privateRule(contact),
  deleteContact: privateRule(contact),
  listSurveys: ACCOUNT_RULE,
  createSurvey: ACCOUNT_RULE,
  getSurvey: { may: 'members' },
  deleteSurvey: { may: [] },
  listCollectors: { may: ['Deploy'] },
  createCollector: { may: ['Deploy'], request: json({ name: 'Letters' }) },
  deleteCollector: {
    may: ['Deploy'],
    params: collector,
    request: (_, { collector_id }) => ({ json: { id: collector_id } }),
  },
  exportCsv: { may: ['Export'] },
  duplicateSurvey: { may: ['Edit'] },
  shareSurvey: { may: [], request: (_, { team }) => ({ json: { group: team } }) },
  unshareSurvey: { may: [], request: (_, { team }) => ({ json: { group: team } }) },
  listInviteCodes: { may: ['Deploy'] },
  createInviteCodes: { may: ['Deploy'], request: json({ count: 2 }) },
  renameSurvey: { may: ['Edit'], request: json({ name: 'Other' }) },
  listReports: { may: ['Correct'] },
  shareReports: { may: ['Correct'], request: json({ sharing_password: 'open sesame' }) },
  listResponses: { may: ['View'] },
  createResponse: { may: ['Test', 'Correct'], request: json({ a: 'x' }) },
  deleteResponses: {
    may: ['Delete'],
    params: response,
    request: (_, { response_id }) => ({ json: { response_ids: [response_id] } }),
  },
  getResponse: { may: ['View'], params: response },
  updateResponse: { may: ['Correct'], params: response, query: () => '?completed=1' },
  getSurveyStatus: { may: 'members' },
  setSurveyStatus: { may: ['Publish'] },
  createEmail: { may: ['Deploy'], query: (survey) => `?survey=${survey}`, request: json(EMAIL_TEXT) },
  getEmail: privateRule(email),
  deleteEmail: privateRule(email),
  listEmailRecipients: privateRule(email),
  addEmailRecipients: { may: 'private', params: email, request: recipient },
  removeEmailRecipients: { may: 'private', params: email, request: recipient },
  // The email is a draft, so a reminder returns 409.
  remindEmail: { ...privateRule(email, { subject: 'Again', message: 'Please: [Invite Link]' }), owner: 409 },
  sendEmail: privateRule(email),
  sendSurvey: { may: ['Deploy'], request: json(invitation) },
  listWebhooks: ACCOUNT_RULE,
  subscribeWebhook: {
    may: [],
    request: (survey) => ({ json: { survey, event: 'response_complete', subscription_url: unusedUrl() } }),
  },
  unsubscribeWebhook: ACCOUNT_RULE,
}
