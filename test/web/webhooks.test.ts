import { beforeAll, describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { replyHandlers, useReceiver } from '../support/receiver.ts'
import { pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let ann: Person
let browser: Visitor
let survey: { id: number; uri: string }
let count = 0

beforeAll(async () => {
  ann = await world.person()
  browser = await signedIn(ann)
  survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea', form: [pageOf(text('q'))] } })).body
})

async function signedIn(person: Person): Promise<Visitor> {
  const visitor = new Visitor(world.base)
  await visitor.signIn(person.actor.username, person.password)
  return visitor
}

const seen = async (path: string) => {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return page.text
}

describe.each([
  ['of a survey', () => `/account/surveys/${survey.id}/webhooks/`],
  ['of the account', () => '/account/webhooks/'],
])('webhooks %s', (_, place) => {
  /** Adds one at a path of its own. @returns its page, that path and the page with the secret */
  async function added(event = 'response_complete') {
    count += 1
    const path = `/hook${count}`
    await browser.get(`${place()}new/`)
    const made = await browser.post(`${place()}new/`, { subscription_url: receiver.url(path), event })
    expect(made.status).toBe(200)
    const [, page] = /href="([^"]+\/\d+\/)">Go to webhook/.exec(made.text)!
    return { page: page!, path, made }
  }
  const answered = () => ann.post(`${survey.uri}responses/`, { form: { q: 'Yes' } })

  test('show the secret once, and reject a second webhook for the same URL', async () => {
    const { page, path, made } = await added()
    expect(made.text).toMatch(/id="secret">whsec_/)
    expect(await seen(page)).not.toContain('whsec_')
    expect(await seen(place())).toContain(receiver.url(path))
    const twice = { subscription_url: receiver.url(path), event: 'response_complete' }
    expect((await browser.post(`${place()}new/`, twice)).status).toBe(422)
    const wrong = await browser.post(`${place()}new/`, { ...twice, subscription_url: 'ftp://x.example/' })
    expect(wrong.text).toMatch(/id="subscription_url-error">URL must be an address that begins with/)
    const rotated = await browser.post(`${page}rotate/`)
    expect(rotated.text).toMatch(/id="secret">whsec_/)
    expect(await seen(page)).toContain('The old secret is valid until')
    await browser.post(`${page}delete/`)
    expect((await browser.get(page)).status).toBe(404)
  })

  test('log the request and the response of a delivery, and redeliver it', async () => {
    const { page, path } = await added()
    receiver.setReply(path, (response) => response.writeHead(503).end('<b>busy</b>\n now'))
    await answered()
    await world.runJobs()
    const log = await seen(page)
    expect(log).toContain('1 delivery')
    expect(log).toMatch(/HTTP 503, 1 attempt, next attempt/)
    const [, delivery] = /href="([^"]+\/deliveries\/\d+\/)"/.exec(log)!
    const one = await seen(delivery!)
    expect(one).toContain('&lt;b&gt;busy&lt;/b&gt; now')
    expect(one).toContain(String(receiver.received(path)[0]!.headers['webhook-id']))
    expect(one).toMatch(/<code>survey_name<\/code><\/dt><dd>Tea/)
    receiver.setReply(path, replyHandlers.status(200))
    expect((await browser.post(delivery!)).to).toBe(delivery)
    await world.runJobs()
    expect(await seen(delivery!)).toContain('>Delivered<')
    expect(receiver.received(path)[1]!.headers['webhook-id']).toBe(receiver.received(path)[0]!.headers['webhook-id'])
    await browser.post(`${page}delete/`)
  })

  test('send a sample with the fields of the event', async () => {
    const { page, path } = await added()
    const { to } = await browser.post(`${page}ping/`)
    expect(await seen(to!)).toContain('not attempted yet')
    await world.runJobs()
    expect(await seen(to!)).toContain('>Delivered<')
    expect(receiver.received(path)[0]!.form.map(([name]) => name)).toContain('survey_name')
    await browser.post(`${page}delete/`)
  })

  test('state why they are disabled', async () => {
    const { page, path } = await added()
    receiver.setReply(path, replyHandlers.disconnect)
    await answered()
    for (let tries = 0; tries < 10; tries += 1) {
      await world.runJobs()
      world.now = new Date(world.now.getTime() + 30 * 3_600_000)
    }
    browser = await signedIn(ann)
    expect(await seen(place())).toContain('>Off<')
    expect(await seen(page)).toContain('the connection was closed')
    await browser.post(`${page}delete/`)
  })
})

test('webhooks of a survey are limited to it, and open to its owner only', async () => {
  const other = (await ann.post('/api/v2/surveys/', { json: { title: 'Other' } })).body
  const place = `/account/surveys/${survey.id}/webhooks/`
  await browser.get(`${place}new/`)
  const form = { subscription_url: receiver.url('/narrow'), event: 'response_complete' }
  const made = await browser.post(`${place}new/`, form)
  const [, id] = /webhooks\/(\d+)\/">Go to/.exec(made.text)!
  expect((await ann.get(`/api/v3/webhooks/${id}/`)).body).toMatchObject({ survey: survey.id })
  expect((await browser.get(`/account/surveys/${other.id}/webhooks/${id}/`)).status).toBe(404)
  expect(await seen(`/account/surveys/${other.id}/webhooks/`)).toContain('No webhooks yet')
  expect(await seen('/account/webhooks/')).toContain('in “Tea”')
  const refused = await browser.post(`${place}new/`, { ...form, event: 'contact_create' })
  expect(refused.text).toContain('Survey cannot be combined with contact_create.')

  const member = await world.person()
  const { id: group } = (await ann.post('/api/v2/groups/', { json: { name: 'Team' } })).body
  const json = { email: member.actor.email, roles: 'Edit Test Publish Deploy Analyze' }
  await ann.put(`/api/v2/groups/${group}/members/`, { json })
  await ann.put(`/api/v2/surveys/${survey.id}/groups/`, { json: { group } })
  const theirs = await signedIn(member)
  expect((await theirs.get(place)).status).toBe(403)
  expect((await theirs.get(`/account/surveys/${survey.id}/`)).text).not.toContain(place)
  expect((await theirs.get(`/account/webhooks/${id}/`)).status).toBe(404)
})
