import { beforeAll, describe, expect, test } from '@jest/globals'
import { useReceiver } from '../../support/receiver.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann', name: 'Ann Example' })
  bob = await world.person({ username: 'bob' })
})

const SUBSCRIBE = '/api/v2/webhooks/subscribe/'
const UNSUBSCRIBE = '/api/v2/webhooks/unsubscribe/'
let count = 0
const newUrl = () => receiver.url(`/${++count}`)

describe('subscribeWebhook', () => {
  test('creates an active webhook for an unused subscription_url and returns 201 [spec 11.1]', async () => {
    const survey = await makeSurvey(ann)
    const subscription_url = newUrl()
    const reply = await ann.post(SUBSCRIBE, { json: { subscription_url, event: 'response_complete', survey } })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: expect.any(Number),
      event_type: 'response_complete',
      survey: String(survey),
      collector: null,
      subscription_url,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
  })

  test('returns 409 for a subscription_url in use and changes nothing [spec 11.1]', async () => {
    const subscription_url = newUrl()
    expect((await ann.post(SUBSCRIBE, { json: { subscription_url, event: 'survey_create' } })).status).toBe(201)
    const again = await ann.post(SUBSCRIBE, { json: { subscription_url, event: 'contact_create' } })
    expect(again).toMatchObject({ status: 409, body: { code: 'webhook_exists' } })
    const { webhooks } = (await ann.get('/api/v2/webhooks/')).body
    const updated = webhooks.filter((one: { subscription_url: string }) => one.subscription_url === subscription_url)
    expect(updated).toMatchObject([{ event_type: 'survey_create' }])
    expect((await bob.post(SUBSCRIBE, { json: { subscription_url, event: 'survey_create' } })).status).toBe(201)
  })

  test('creates one webhook from ten concurrent requests', async () => {
    const json = { subscription_url: newUrl(), event: 'survey_create' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => ann.post(SUBSCRIBE, { json })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  test('accepts JSON, form and multipart with the same meaning, and ids as text', async () => {
    const survey = await makeSurvey(ann)
    const members = { event: 'response_complete', survey: String(survey) }
    for (const sent of [
      { json: { ...members, subscription_url: newUrl() } },
      { form: { ...members, subscription_url: newUrl() } },
      { multipart: { ...members, subscription_url: newUrl() } },
    ])
      expect(await ann.post(SUBSCRIBE, sent)).toMatchObject({ status: 201, body: { survey: String(survey) } })
  })

  test('limits a webhook to a collector and sets the survey of the collector', async () => {
    const survey = await makeSurvey(ann)
    const { id: collector } = (await ann.post(`/api/v3/surveys/${survey}/collectors/`, { form: { name: 'Mail' } })).body
    const json = { subscription_url: newUrl(), event: 'response_complete', collector }
    const reply = await ann.post(SUBSCRIBE, { json })
    expect(reply).toMatchObject({ status: 201, body: { survey: String(survey), collector: String(collector) } })
    const other = await makeSurvey(ann)
    const mixed = await ann.post(SUBSCRIBE, { json: { ...json, subscription_url: newUrl(), survey: other } })
    expect(mixed).toMatchObject({ status: 404, body: { code: 'collector_not_found' } })
  })

  test.each([
    ['no subscription_url', { event: 'survey_create' }, /subscription_url/],
    ['a text that is not a URL', { subscription_url: 'nowhere', event: 'survey_create' }, /subscription_url/],
    [
      'a URL of another protocol',
      { subscription_url: 'ftp://example.org/', event: 'survey_create' },
      /subscription_url/,
    ],
    ['credentials', { subscription_url: 'https://a:b@example.org/', event: 'survey_create' }, /subscription_url/],
    ['no event', { subscription_url: 'https://example.org/' }, /event/],
    ['an unknown event', { subscription_url: 'https://example.org/', event: 'survey_delete' }, /event/],
    [
      'survey of an account-wide event',
      { subscription_url: 'https://example.org/', event: 'survey_create', survey: 1 },
      /survey/,
    ],
    [
      'collector of report_create',
      { subscription_url: 'https://example.org/', event: 'report_create', collector: 1 },
      /collector/,
    ],
  ])('returns 400 with the name of the field for %s', async (_, json, field) => {
    const reply = await ann.post(SUBSCRIBE, { json })
    expect(reply).toMatchObject({ status: 400, body: { description: expect.stringMatching(field) } })
  })

  test('returns 404 for a survey or collector of another account', async () => {
    const survey = await makeSurvey(bob)
    const json = { subscription_url: newUrl(), event: 'response_complete', survey }
    expect(await ann.post(SUBSCRIBE, { json })).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
  })
})

describe('listWebhooks [spec 11.2]', () => {
  test('returns the webhooks of the account and their total, without secrets', async () => {
    const eve = await world.person()
    expect((await eve.get('/api/v2/webhooks/')).body).toEqual({ webhooks: [], total: 0 })
    const subscription_url = newUrl()
    const { id } = (await eve.post(SUBSCRIBE, { json: { subscription_url, event: 'contact_create' } })).body
    expect((await eve.get('/api/v2/webhooks/')).body).toEqual({
      webhooks: [{ id, event_type: 'contact_create', survey: null, collector: null, subscription_url }],
      total: 1,
    })
  })
})

describe('unsubscribeWebhook', () => {
  test('removes an active webhook and returns 200 [spec 11.1]', async () => {
    const json = { subscription_url: newUrl(), event: 'survey_create' }
    await ann.post(SUBSCRIBE, { json })
    const reply = await ann.post(UNSUBSCRIBE, { json: { subscription_url: json.subscription_url } })
    expect(reply).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.post(SUBSCRIBE, { json })).status).toBe(201)
    const form = { subscription_url: json.subscription_url }
    expect((await ann.post(UNSUBSCRIBE, { form })).status).toBe(200)
  })

  test('returns 404 for an unknown webhook and for a webhook of another account', async () => {
    const subscription_url = newUrl()
    await bob.post(SUBSCRIBE, { json: { subscription_url, event: 'survey_create' } })
    for (const json of [{ subscription_url }, { subscription_url: newUrl() }])
      expect(await ann.post(UNSUBSCRIBE, { json })).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } })
    expect((await bob.get('/api/v2/webhooks/')).body.webhooks).toEqual(
      expect.arrayContaining([expect.objectContaining({ subscription_url })]),
    )
  })

  test('cancels the pending deliveries', async () => {
    const subscription_url = receiver.url('/late')
    await ann.post(SUBSCRIBE, { json: { subscription_url, event: 'survey_create' } })
    await makeSurvey(ann)
    await ann.post(UNSUBSCRIBE, { json: { subscription_url } })
    await world.runJobs()
    expect(receiver.received('/late')).toEqual([])
  })
})
