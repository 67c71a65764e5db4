import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { useReceiver } from '../support/receiver.ts'
import { pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Nothing that a line could be broken at. */
const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(6)
const ADDRESS = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example.net`

test('long words do not make pages wider than a phone', async () => {
  const ann = await world.person()
  const survey = (await ann.post('/api/v2/surveys/', { json: { title: LONG, form: [pageOf(text('q'))] } })).body
  const contact = (
    await ann.post('/api/v3/contacts/', { json: { name: LONG, email: ADDRESS, [LONG.slice(0, 90)]: LONG } })
  ).body.id
  const list = (await ann.post('/api/v3/contact-lists/', { json: { name: LONG } })).body.id
  await ann.post(`/api/v3/contact-lists/${list}/contacts/`, { json: { id: contact } })
  const group = (await ann.post('/api/v2/groups/', { json: { name: LONG.slice(0, 100) } })).body.id
  await ann.put(`/api/v2/surveys/${survey.id}/groups/`, { json: { group } })
  await ann.put(`/api/v2/groups/${group}/members/`, { json: { email: ann.actor.email, roles: 'Edit' } })
  const hook = (
    await ann.post('/api/v3/webhooks/', {
      json: { subscription_url: receiver.url(`/${LONG}`), event: 'response_complete', survey: survey.id },
    })
  ).body.id
  const json = { subject: LONG, sender: `${LONG} <${ADDRESS}>`, message: `${LONG} [Invite Link]` }
  const draft = (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json })).body
  const sent = (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json })).body
  for (const { recipients_uri } of [draft, sent]) await ann.post(recipients_uri, { json: { contacts: [contact] } })
  await ann.post(sent.send_uri)
  await ann.post(`${survey.uri}responses/`, { form: { q: LONG } })
  await ann.post(`/api/v3/embeds/`, { form: { survey: survey.id, kind: 'popup' } })
  await ann.post(`/api/v2/surveys/${survey.id}/invite-codes/?count=2`)
  await world.runJobs()
  const delivery = (await ann.get(`/api/v3/webhooks/${hook}/deliveries/`)).body.results[0].id

  const context = await browser.newContext({ viewport: { width: 360, height: 780 } })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await page.goto(`${world.base}/account/surveys/`)
  await page.getByLabel('Username or email').fill(ann.actor.username)
  await page.getByLabel('Password').fill(ann.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Surveys' }).waitFor()
  const [root, invitations] = [`surveys/${survey.id}/`, `surveys/${survey.id}/invitations/`]
  const wide: string[] = []
  for (const path of [
    'surveys/',
    root,
    invitations,
    `${invitations}new/`,
    `${invitations}codes/`,
    ...['', 'edit/', 'recipients/', 'preview/', 'delete/'].map((rest) => `${invitations}${draft.id}/${rest}`),
    ...['', 'remind/'].map((rest) => `${invitations}${sent.id}/${rest}`),
    `${root}embeds/`,
    `${root}webhooks/`,
    `${root}webhooks/${hook}/`,
    `${root}webhooks/${hook}/delete/`,
    `${root}webhooks/${hook}/deliveries/${delivery}/`,
    'webhooks/',
    'contacts/',
    `contacts/${contact}/`,
    `contacts/${contact}/delete/`,
    'contacts/lists/',
    `contacts/lists/${list}/`,
    'groups/',
    `groups/${group}/`,
  ]) {
    const response = await page.goto(`${world.base}/account/${path}`)
    expect([path, response!.status()]).toEqual([path, 200])
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(path)
  }
  expect(wide).toEqual([])
  await context.close()
}, 120_000)
