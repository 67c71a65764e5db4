import { issueOneTimeToken } from '../../src/domain/account/one-time-token.ts'
import { createEmail } from '../../src/domain/email/commands.ts'
import { addRecipients } from '../../src/domain/email/recipients.ts'
import { sendEmail } from '../../src/domain/email/send.ts'
import { uploadForImport } from '../../src/domain/moving/import.ts'
import { notificationUnsubscribeUrl } from '../../src/domain/notification/subscription.ts'
import { fakeResponses } from '../../src/domain/response/fake-responses.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import { inviteToSurvey } from '../../src/domain/survey/team.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { authorizePath, minimalQuery, registerApp, tokensFor } from '../support/oauth.ts'
import { type Receiver, replyHandlers } from '../support/receiver.ts'
import { addSurvey, pageOf } from '../support/surveys.ts'
import type { Person, World } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const image = (name: string) => ({ url: `https://images.example.org/${name}.jpg`, alt: `A ${name} loaf` })
const labels = (...texts: string[]) => texts.map((label) => ({ label }))
const REPORT_PASSWORD = 'open sesame'
const NEW_EMAIL = 'ann.new@example.org'
/** A page with the question types that are not in `breakfastSurvey`. */
const newerTypes = pageOf(
  { idname: 'rating', id: 'stars', title: 'How good was it?', children: [{ max: 5 }] },
  { idname: 'slider', id: 'slide', title: 'How hungry are you?', children: [{ min: 0, max: 100, step: 5 }] },
  { idname: 'number', id: 'slices', title: 'How many slices?', children: [{ min: 0, max: 20, unit: 'slices' }] },
  { idname: 'email', id: 'reply', title: 'Where can we reach you?', children: [{}] },
  { idname: 'consent', id: 'agree', title: 'Your data', children: [{ text: 'I agree that my answers are stored.' }] },
  {
    idname: 'image-choice',
    id: 'loaf',
    title: 'Which loaf?',
    children: [
      {
        choices: [
          { label: 'Round', image: image('round') },
          { label: 'Long', image: image('long') },
        ],
      },
    ],
  },
  {
    idname: 'multiple-choice-grid',
    id: 'meals',
    title: 'What do you eat when?',
    choices: labels('Bread', 'Soup', 'Fruit'),
    children: [{ label: 'Morning' }, { label: 'Evening' }],
  },
  { idname: 'file-upload', id: 'photo', title: 'A photo of your table', children: [{ fileTypes: ['image'] }] },
  { idname: 'signature', id: 'signed', title: 'Your signature', children: [{}] },
  {
    idname: 'constant-sum',
    id: 'budget',
    title: 'Distribute 100 points',
    unit: 'points',
    children: [{ label: 'Rent' }, { label: 'Food' }],
  },
  { idname: 'random-group', id: 'variant', title: 'Variant', choices: labels('Short', 'Long') },
)

/** An account with one or more objects of each type, and the parts of the addresses of its pages. */
export interface SiteMapData {
  owner: Person
  /**
   * Values of the parameters in paths, by name. A parameter `id` has the name of the path segment before it. A name
   * such as `showEmail/email` is for one page.
   */
  values: Readonly<Record<string, string | number>>
  /** Queries of pages that require one, by the name of the page. */
  queries: Readonly<Record<string, string>>
  reportPassword: string
  /** An SVG image that the test returns for every https URL. */
  picture: string
}

/** Creates an account with one or more objects of each type. */
export async function createSiteMapData(world: World, receiver: Receiver): Promise<SiteMapData> {
  const owner = await world.person({ name: 'Ann Example', isDeveloper: true, isAdministrator: true })
  const structure = { ...breakfastSurvey, form: [...breakfastSurvey.form, newerTypes] }
  const { survey } = await addSurvey(owner, structure)
  const api = `/api/v3/surveys/${survey.id}/`
  await fakeResponses(world.context(), (await getSnapshot(world.em(), survey.id))!, 60, seededRandom(7))
  await owner.put(`${api}structure/`, { json: { ...structure, title: 'Bread and breakfast 2' } })
  const json = async (address: string, body: object) => (await owner.post(address, { json: body })).body
  const contact = (await json('/api/v3/contacts/', { name: 'Cleo Clark', email: 'cleo@example.net', city: 'Oslo' })).id
  const list = (await json('/api/v3/contact-lists/', { name: 'Friends' })).id
  await json(`/api/v3/contact-lists/${list}/contacts/`, { id: contact })
  const invitee = { email: 'dora@example.net', roles: 'Edit Analyze' }
  const invitationUrl = (await owner.act((context) => inviteToSurvey(context, survey.id, invitee))).url ?? ''
  const group = await makeGroup(owner, 'Bakers')
  const member = await world.person({ name: 'Bob Baker' })
  await addMember(owner, group, member, 'Edit')
  await share(owner, survey.id, group)
  const hook = '/site-map'
  receiver.setReply(hook, replyHandlers.status(200))
  const event = { subscription_url: receiver.url(hook), event: 'response_complete', survey: survey.id }
  const webhook = (await json('/api/v3/webhooks/', event)).id
  const invitation = {
    subject: 'Bread, [Full Name]?',
    sender: 'Ann Example <ann@example.org>',
    message: 'Hello [Full Name],\n\nplease answer:\n[Invite Link]\n\nThank you!',
  }
  const [draft, sent] = await owner.act(async (context) => {
    const emails = [
      await createEmail(context, { survey: survey.id }, invitation),
      await createEmail(context, { survey: survey.id }, invitation),
    ] as const
    for (const { id } of emails) await addRecipients(context, id, { ids: [contact], field: 'contacts' })
    await sendEmail(context, emails[1].id)
    return emails
  })
  const response = (await json(`${api}responses/`, { name: 'Ada', bread: 0, _completed: 1 })).id
  await owner.put(`${api}responses/${response}/?reason=${encodeURIComponent('She called')}`, { json: { bread: 1 } })
  const form = Buffer.from(JSON.stringify({ elements: [{ type: 'text', name: 'why' }] }))
  const upload = await owner.act((context) => uploadForImport(context, form, (act) => act(context)))
  await world
    .em()
    .getConnection()
    .execute(
      `insert into survey_import (account_id, survey_id, format, record, created_at)
       select account_id, ?, format, record, created_at from survey_import where id = ?`,
      [survey.id, upload],
    )
  const category = (await json(`${api}coding/categories/`, { name: 'Friendly people', description: 'Praise' })).id
  await json(`${api}coding/rules/`, { contains: 'friend', category, applies_to_new: true })
  const round = (await json(`${api}coding/rounds/`, {})).id
  await json(`${api}coding/answers/`, { answers: [{ response_id: response, key: 'name' }], add: [category] })
  await owner.put(`${api}coding/rounds/${round}/`, { json: {} })
  const deleted = (await json(`${api}responses/`, { name: 'A test' })).id
  await owner.delete(`${api}responses/${deleted}/`)
  const trash = (await json('/api/v3/surveys/', { name: 'Old survey' })).id
  await owner.delete(`/api/v3/surveys/${trash}/`)
  // Guests see days and distributions only without a threshold.
  await owner.put(`${api}settings/`, { json: { anonymity_threshold: 1, receipt: true } })
  await json(`${api}filters/`, { name: 'Rye eaters', query: 'bread=Rye' })
  const filtered = { title: 'Rye eaters', query: 'bread=Rye', share_text_answers: true }
  const report = (await json(`${api}reports/`, filtered)).id
  await owner.post('/api/v3/embeds/', { form: { survey: survey.id, kind: 'popup' } })
  const collector = (await json(`${api}collectors/`, { name: 'Poster' })).id
  await owner.post(`${api}invite_codes/`, { form: { count: 3 } })
  const previewed = (await json(`${api}preview-links/`, { label: 'Ethics board', comments: true })).url
  const entry = (await json('/api/v3/question-library/', { survey: survey.id, question: 'bread' })).id
  await json(`${api}comments/`, { text: 'Do we offer rye, too?', question: 'bread' })
  const app = await registerApp(world, { owner })
  await tokensFor(world, app, owner)
  await world.runJobs()
  const delivery = (await owner.get(`/api/v3/webhooks/${webhook}/deliveries/`)).body.results[0].id
  const browser = await signInAs(owner)
  const { rows: passkeys } = await world.application.services.pool.query<{ id: number }>(
    `insert into passkey (account_id, credential_id, public_key, user_handle, counter, transports, name, created_at)
     values ($1, 'credential', 'key', 'handle', 0, '{}', 'Work laptop', now()) returning id`,
    [owner.actor.id],
  )
  const pages = `/account/surveys/${survey.id}/`
  await browser.post(`${pages}reports/sharing/`, { sharing_password: REPORT_PASSWORD })
  const shared = (await browser.get(`${pages}reports/`)).text
  const key = /keys\/(\d+)\/revoke/.exec((await browser.get('/account/keys/')).text)![1]!
  const application = /applications\/(\d+)\/revoke/.exec((await browser.get('/account/')).text)![1]!
  const mail = /dev\/outbox\/(\w+)\//.exec((await browser.get('/dev/outbox/')).text)![1]!
  const token = /class="address" href="[^"]*\/reports\/([^"/]+)\//.exec(shared)![1]!
  const message = (await browser.get(`/dev/outbox/${mail}/`)).text
  const unsubscribe = /\/unsubscribe\/([^"/]+)\//.exec(message)![1]!
  const stop = notificationUnsubscribeUrl(world.context().services, { survey: survey.id, account: owner.actor.id })
  const keyOf = (purpose: 'password' | 'email') =>
    issueOneTimeToken(world.context(), owner.actor.id, purpose, NEW_EMAIL)
  return {
    owner,
    reportPassword: REPORT_PASSWORD,
    picture:
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="#c9d6cf"/><circle cx="20" cy="15" r="9" fill="#b0763f"/></svg>',
    values: {
      ...{ surveys: survey.id, trash, contact, list, group, webhook, delivery, response, report, collector },
      ...{ categories: category, category, rounds: round, round },
      ...{ developer: app.id, keys: key, applications: application, email: draft.id, outbox: mail },
      ...{ username: owner.actor.username, slug: survey.slug, token, version: 1 },
      passkeys: passkeys[0]!.id,
      ...{ user: member.actor.id, action: 'grant' },
      ...{ upload, entry, question: 'slices', key: 'name', template: 'exit-interview' },
      ...{ 'showEmail/email': sent.id, 'showReminder/email': sent.id, 'showUnsubscribe/token': unsubscribe },
      'showSharedPreview/key': previewed.split('/').at(-2)!,
      'showStopNotification/token': stop.split('/').at(-2)!,
    },
    queries: {
      showNewPassword: `?key=${await keyOf('password')}`,
      showEmailConfirmation: `?key=${await keyOf('email')}`,
      showConsent: authorizePath(minimalQuery(app)).slice(authorizePath({}).length - 1),
      showAnswerForm: '?question=bread',
      showSheet: `?collector=${collector}&language=en&stored=${response}`,
      showQuestion: '?id=bread',
      showCrossTable: '?view-rows=bread&view-columns=nps',
      showTrend: '?view-question=nps&view-period=day',
      showComparison: '?view-by=bread',
      showCondition: '?id=with',
      showFilter: '?id=with&by=bread',
      showSkips: '?page=0',
      showComments: '?question=bread',
      showCopy: '?page=1',
      showLibrary: '?page=1',
      showSaveToLibrary: '?question=bread',
      showPageForm: '?page=0',
      showTranslations: '?to=fr',
      compareVersions: '?from=1&to=2',
      showInvitation: `?key=${invitationUrl.split('key=')[1]}`,
    },
  }
}
