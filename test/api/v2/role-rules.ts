import type { Person } from '../../support/world.ts'
import {
  address,
  apart,
  collector,
  contact,
  email,
  letter,
  list,
  mail,
  own,
  type Rule,
  response,
} from '../roles/rule.ts'

const json = (body: object) => () => ({ json: body })

/** A group with the same members as the team; the team itself is still needed. */
const group = async (owner: Person) => {
  const [team] = (await owner.get('/api/v2/groups/')).body.groups
  const { id } = (await owner.post('/api/v2/groups/', { json: { name: 'Other' } })).body
  const members: { email: string }[] = (await owner.get(`/api/v2/groups/${team.id}/members/`)).body.members
  for (const { email } of members) await owner.put(`/api/v2/groups/${id}/members/`, { json: { email } })
  return { group_id: id, email: members[0]!.email }
}

const member: Rule['sent'] = (_, { email }) => ({ json: { email } })

const recipient: Rule['sent'] = (_, { contact_id }) => ({ json: { contacts: String(contact_id) } })

const groups = {
  listGroups: apart,
  createGroup: apart,
  getGroup: { may: 'everybody', params: group },
  renameGroup: { may: [], params: group, sent: json({ name: 'Third' }) },
  deleteGroup: { may: [], params: group },
  listMembers: { may: 'everybody', params: group },
  setMember: { may: [], params: group, sent: member },
  removeMember: { may: [], params: group, sent: member },
} satisfies Record<string, Rule>

const aliases = Object.fromEntries(Object.entries(groups).map(([id, rule]) => [`${id}Alias`, rule]))

/** Every operation of version 2. */
export const rules: Record<string, Rule> = {
  ...groups,
  ...aliases,
  getCurrentUser: apart,
  getPlan: apart,
  getUser: own(async (owner) => ({ user_id: owner.actor.id })),
  getUserAlias: own(async (owner) => ({ user_id: owner.actor.id })),
  createUser: apart,
  createUserAlias: apart,
  generateLoginUrl: apart,
  listContactLists: apart,
  createContactList: apart,
  getContactList: own(list),
  deleteContactList: own(list),
  listContactListContacts: own(list),
  addContactListContacts: {
    may: 'own',
    params: list,
    sent: json({ name: 'D', email: 'e@example.org' }),
  },
  removeContactListContacts: {
    may: 'own',
    params: async (owner) => ({ ...(await list(owner)), ...(await contact(owner)) }),
    sent: recipient,
  },
  listContacts: { may: ['Deploy'], query: (survey) => `?survey=${survey}` },
  createContact: apart,
  getContact: own(contact),
  deleteContact: own(contact),
  listSurveys: apart,
  createSurvey: apart,
  getSurvey: { may: 'everybody' },
  deleteSurvey: { may: [] },
  listCollectors: { may: ['Deploy'] },
  createCollector: { may: ['Deploy'], sent: json({ name: 'Letters' }) },
  deleteCollector: {
    may: ['Deploy'],
    params: collector,
    sent: (_, { collector_id }) => ({ json: { id: collector_id } }),
  },
  exportCsv: { may: ['Analyze'] },
  duplicateSurvey: { may: ['Edit'] },
  shareSurvey: { may: [], sent: (_, { team }) => ({ json: { group: team } }) },
  unshareSurvey: { may: [], sent: (_, { team }) => ({ json: { group: team } }) },
  listInviteCodes: { may: ['Deploy'] },
  createInviteCodes: { may: ['Deploy'], sent: json({ count: 2 }) },
  renameSurvey: { may: ['Edit'], sent: json({ name: 'Other' }) },
  listReports: { may: ['Analyze'] },
  shareReports: { may: ['Analyze'], sent: json({ sharing_password: 'open sesame' }) },
  listResponses: { may: ['Analyze'] },
  createResponse: { may: ['Test', 'Analyze'], sent: json({ a: 'x' }) },
  deleteResponses: {
    may: ['Analyze'],
    params: response,
    sent: (_, { response_id }) => ({ json: { response_ids: [response_id] } }),
  },
  getResponse: { may: ['Analyze'], params: response },
  updateResponse: { may: ['Analyze'], params: response, query: () => '?completed=1' },
  getSurveyStatus: { may: 'everybody' },
  setSurveyStatus: { may: ['Publish'] },
  createEmail: { may: ['Deploy'], query: (survey) => `?survey=${survey}`, sent: json(mail) },
  getEmail: own(email),
  deleteEmail: own(email),
  listEmailRecipients: own(email),
  addEmailRecipients: { may: 'own', params: email, sent: recipient },
  removeEmailRecipients: { may: 'own', params: email, sent: recipient },
  // Nothing has gone out yet that one could remind of.
  remindEmail: { ...own(email, { subject: 'Again', message: 'Please: [Invite Link]' }), owner: 409 },
  sendEmail: own(email),
  sendSurvey: { may: ['Deploy'], sent: json(letter) },
  listWebhooks: apart,
  subscribeWebhook: {
    may: [],
    sent: (survey) => ({ json: { survey, event: 'response_complete', subscription_url: address() } }),
  },
  unsubscribeWebhook: apart,
}
