import { beforeAll, describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { replyHandlers, useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let ann: Person
let browser: HttpBrowser
let survey: { id: number }
let count = 0

beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
  survey = (await addSurvey(ann, { title: 'Tea', form: [pageOf(text('q'))] })).survey
})

const textOf = async (path: string) => {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return page.text
}

describe.each([
  ['of a survey', () => `/account/surveys/${survey.id}/webhooks/`],
  ['of the account', () => '/account/webhooks/'],
])('the webhooks pages %s', (_, rootPath) => {
  /**
   * Adds a webhook whose URL has a path of its own.
   * @returns the path of the page of the webhook, the path in its URL, and the reply with the secret
   */
  async function addWebhook(event = 'response_complete') {
    count += 1
    const path = `/hook${count}`
    await browser.get(`${rootPath()}new/`)
    const created = await browser.post(`${rootPath()}new/`, { subscription_url: receiver.url(path), event })
    expect(created.status).toBe(200)
    const [, page] = /href="([^"]+\/\d+\/)">Go to webhook/.exec(created.text)!
    return { page: page!, path, created }
  }
  const addResponse = () => ann.post(`/api/v3/surveys/${survey.id}/responses/`, { form: { q: 'Yes', _completed: 1 } })

  test('show the secret once, and reject a second webhook for the same URL', async () => {
    const { page, path, created } = await addWebhook()
    expect(created.text).toMatch(/id="secret">whsec_/)
    expect(await textOf(page)).not.toContain('whsec_')
    expect(await textOf(rootPath())).toContain(receiver.url(path))
    const duplicate = { subscription_url: receiver.url(path), event: 'response_complete' }
    expect((await browser.post(`${rootPath()}new/`, duplicate)).status).toBe(422)
    const invalid = await browser.post(`${rootPath()}new/`, { ...duplicate, subscription_url: 'ftp://x.example/' })
    expect(invalid.text).toMatch(/id="subscription_url-error">URL must be a URL that starts with/)
    const rotated = await browser.post(`${page}rotate/`)
    expect(rotated.text).toMatch(/id="secret">whsec_/)
    expect(await textOf(page)).toContain('The old secret is valid until')
    await browser.post(`${page}delete/`)
    expect((await browser.get(page)).status).toBe(404)
  })

  test('log the request and the response of a delivery, and can send its message again', async () => {
    const { page, path } = await addWebhook()
    receiver.setReply(path, (response) => response.writeHead(503).end('<b>busy</b>\n now'))
    await addResponse()
    await world.runJobs()
    const log = await textOf(page)
    expect(log).toContain('1 delivery')
    expect(log).toMatch(/HTTP 503, 1 attempt, next attempt/)
    const [, delivery] = /href="([^"]+\/deliveries\/\d+\/)"/.exec(log)!
    const deliveryPage = await textOf(delivery!)
    expect(deliveryPage).toContain('&lt;b&gt;busy&lt;/b&gt; now')
    expect(deliveryPage).toContain(String(receiver.received(path)[0]!.headers['webhook-id']))
    expect(deliveryPage).toMatch(/<code>survey_name<\/code><\/dt><dd>Tea/)
    receiver.setReply(path, replyHandlers.status(200))
    expect((await browser.post(delivery!)).to).toBe(delivery)
    await world.runJobs()
    expect(await textOf(delivery!)).toContain('>Delivered<')
    expect(receiver.received(path)[1]!.headers['webhook-id']).toBe(receiver.received(path)[0]!.headers['webhook-id'])
    await browser.post(`${page}delete/`)
  })

  test('send a sample delivery with the fields of the event', async () => {
    const { page, path } = await addWebhook()
    const { to } = await browser.post(`${page}ping/`)
    expect(await textOf(to!)).toContain('not attempted yet')
    await world.runJobs()
    expect(await textOf(to!)).toContain('>Delivered<')
    expect(receiver.received(path)[0]!.form.map(([name]) => name)).toContain('survey_name')
    await browser.post(`${page}delete/`)
  })

  test('show the format of the messages, and the fields of a JSON message', async () => {
    count += 1
    const path = `/hook${count}`
    const webhook = { subscription_url: receiver.url(path), event: 'response_complete', format: 'json' }
    await browser.get(`${rootPath()}new/`)
    const created = await browser.post(`${rootPath()}new/`, webhook)
    const [, page] = /href="([^"]+\/\d+\/)">Go to webhook/.exec(created.text)!
    expect(await textOf(page!)).toContain('<dt>Message format</dt><dd>JSON</dd>')
    await addResponse()
    await world.runJobs()
    expect(JSON.parse(receiver.received(path)[0]!.body)).toMatchObject({ survey_name: 'Tea', q: 'Yes' })
    const [, delivery] = /href="([^"]+\/deliveries\/\d+\/)"/.exec(await textOf(page!))!
    const deliveryPage = await textOf(delivery!)
    expect(deliveryPage).toContain('<dt><code>content-type</code></dt><dd>application/json')
    expect(deliveryPage).toMatch(/<code>survey_name<\/code><\/dt><dd>Tea/)
    await browser.post(`${page}delete/`)
  })

  test('show why a webhook was disabled', async () => {
    const { page, path } = await addWebhook()
    receiver.setReply(path, replyHandlers.disconnect)
    await addResponse()
    for (let tries = 0; tries < 10; tries += 1) {
      await world.runJobs()
      world.now = new Date(world.now.getTime() + 30 * 3_600_000)
    }
    browser = await signInAs(ann)
    expect(await textOf(rootPath())).toContain('>Disabled<')
    expect(await textOf(page)).toContain('the connection was closed')
    await browser.post(`${page}delete/`)
  })
})

describe('the webhooks pages of a survey', () => {
  test('show webhooks of this survey only, and only to its owner', async () => {
    const other = await makeSurvey(ann, { title: 'Other' })
    const root = `/account/surveys/${survey.id}/webhooks/`
    await browser.get(`${root}new/`)
    const form = { subscription_url: receiver.url('/survey-webhook'), event: 'response_complete' }
    const created = await browser.post(`${root}new/`, form)
    const [, id] = /webhooks\/(\d+)\/">Go to/.exec(created.text)!
    expect((await ann.get(`/api/v3/webhooks/${id}/`)).body).toMatchObject({ survey: survey.id })
    expect((await browser.get(`/account/surveys/${other}/webhooks/${id}/`)).status).toBe(404)
    expect(await textOf(`/account/surveys/${other}/webhooks/`)).toContain('No webhooks yet')
    expect(await textOf('/account/webhooks/')).toContain('in “Tea”')
    const invalid = await browser.post(`${root}new/`, { ...form, event: 'contact_create' })
    expect(invalid.text).toContain('Survey cannot be combined with contact_create.')

    const member = await world.person()
    await shareWith(ann, survey.id, member, 'Edit Test Publish Deploy Analyze')
    const memberBrowser = await signInAs(member)
    expect((await memberBrowser.get(root)).status).toBe(403)
    expect((await memberBrowser.get(`/account/surveys/${survey.id}/`)).text).not.toContain(root)
    expect((await memberBrowser.get(`/account/webhooks/${id}/`)).status).toBe(404)
  })
})
