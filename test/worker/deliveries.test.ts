import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openDevMailbox } from '../../src/lib/dev-mailbox.ts'
import { replyHandlers, useReceiver } from '../support/receiver.ts'
import { countStatements } from '../support/record-statements.ts'
import { makeSurvey } from '../support/responses.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const WEBHOOKS = '/api/v3/webhooks/'
const DAY = 86_400_000
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

let webhook: { id: number; webhook_uri: string; deliveries_uri: string }
let path: string
let count = 0
beforeEach(async () => {
  for (const { webhook_uri } of (await ann.get(WEBHOOKS)).body.results) await ann.delete(webhook_uri)
  path = `/hook${++count}`
  const json = { subscription_url: receiver.url(path), event: 'survey_create' }
  webhook = (await ann.post(WEBHOOKS, { json })).body
})

const newest = async () => (await ann.get(webhook.deliveries_uri)).body.results[0]
const secondsLeft = async () => (Date.parse((await newest()).next_attempt_at) - world.now.getTime()) / 1000
const advance = async (ms: number) => {
  world.now = new Date(world.now.getTime() + ms)
  await world.runJobs()
}
const send = async () => {
  await makeSurvey(ann)
  await world.runJobs()
}

describe('a failed delivery [spec 11.5]', () => {
  test('is retried after about five seconds with the same body and webhook-id and a new signature', async () => {
    receiver.setReply(path, replyHandlers.status(500))
    await send()
    expect(await secondsLeft()).toBeGreaterThanOrEqual(4.5)
    expect(await secondsLeft()).toBeLessThanOrEqual(5.5)
    await advance(4000)
    expect(receiver.received(path)).toHaveLength(1)
    receiver.setReply(path, replyHandlers.status(200))
    await advance(2000)
    const [first, second] = receiver.received(path)
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(second!.headers['webhook-timestamp']).not.toBe(first!.headers['webhook-timestamp'])
    expect(await newest()).toMatchObject({ status: 'delivered', attempts: [{ status: 500 }, { status: 200 }] })
  })

  test.each([
    ['a redirect', replyHandlers.status(302, { location: '/elsewhere' }), { response_code: 302 }],
    ['status 404', replyHandlers.status(404), { response_code: 404 }],
    [
      'a closed connection',
      replyHandlers.disconnect,
      { response_code: null, attempts: [{ error: expect.stringMatching(/connection was closed/) }] },
    ],
  ])('is pending after %s', async (_, handler, expected) => {
    receiver.setReply(path, handler)
    await send()
    expect(await newest()).toMatchObject({ status: 'pending', ...expected })
    expect(receiver.received('/elsewhere')).toEqual([])
  })

  test('delays all deliveries of the webhook by Retry-After, in seconds or as a date', async () => {
    receiver.setReply(path, replyHandlers.status(503, { 'retry-after': '120' }))
    await send()
    expect(await secondsLeft()).toBe(120)
    await makeSurvey(ann)
    await advance(119_000)
    expect(receiver.received(path)).toHaveLength(1)
    const date = new Date(world.now.getTime() + 3_600_000)
    receiver.setReply(path, replyHandlers.status(429, { 'retry-after': date.toUTCString() }))
    await advance(2000)
    const { body } = await ann.get(webhook.deliveries_uri)
    expect(body.results.map((delivery: { next_attempt_at: string }) => Date.parse(delivery.next_attempt_at))).toContain(
      Math.floor(date.getTime() / 1000) * 1000,
    )
    receiver.setReply(path, replyHandlers.status(200))
    await advance(3_600_000)
    expect((await ann.get(webhook.deliveries_uri)).body.results).toMatchObject([
      { status: 'delivered' },
      { status: 'delivered' },
    ])
  })

  test('is attempted ten times in three days, after which the webhook is disabled until a ping succeeds', async () => {
    receiver.setReply(path, replyHandlers.status(500))
    const start = world.now.getTime()
    await send()
    for (let attempt = 2; attempt <= 10; attempt++) await advance((await secondsLeft()) * 1000)
    expect(receiver.received(path)).toHaveLength(10)
    expect(world.now.getTime() - start).toBeGreaterThan(2.6 * DAY)
    expect(world.now.getTime() - start).toBeLessThan(3.4 * DAY)
    expect(await newest()).toMatchObject({ status: 'failed', next_attempt_at: null })
    expect((await ann.get(webhook.webhook_uri)).body).toMatchObject({
      disabled_at: world.now.toISOString(),
      disabled_reason: expect.stringMatching(/status 500/),
    })
    await world.runJobs()
    const [email] = await (await openDevMailbox(join(world.dataDir, 'outbox'))).list(1)
    expect(email).toMatchObject({ to: { address: ann.actor.email }, subject: 'Webhook disabled' })
    expect(email!.text).toContain('status 500')
    receiver.setReply(path, replyHandlers.status(200))
    await send()
    await advance(7 * DAY)
    expect(receiver.received(path)).toHaveLength(10)
    await ann.post(`${webhook.webhook_uri}ping/`)
    await world.runJobs()
    expect((await ann.get(webhook.webhook_uri)).body).toMatchObject({ disabled_at: null, disabled_reason: null })
    await send()
    expect(receiver.received(path)).toHaveLength(12)
  })
})

describe('many messages of a webhook', () => {
  const EVENTS = 100
  let survey: number
  beforeEach(async () => {
    survey = await makeSurvey(ann)
    const json = { subscription_url: receiver.url(`${path}/many`), event: 'response_complete' }
    webhook = (await ann.post(WEBHOOKS, { json })).body
  })
  const complete = async (count: number) => {
    const json = { q1: 0, _completed: 1 }
    for (let response = 0; response < count; response += 1)
      await ann.post(`/api/v3/surveys/${survey}/responses/`, { json })
  }
  const statuses = async () =>
    (await ann.get(`${webhook.deliveries_uri}?page_size=100`)).body.results.map(
      ({ status, attempts }: { status: string; attempts: object[] }) => `${status} ${attempts.length}`,
    )

  test('are each delivered once, with less than two statements a message', async () => {
    await complete(EVENTS)
    const before = countStatements()
    await world.runJobs()
    const statements = countStatements() - before
    expect(receiver.received(`${path}/many`)).toHaveLength(EVENTS)
    expect(new Set(receiver.received(`${path}/many`).map(({ headers }) => headers['webhook-id'])).size).toBe(EVENTS)
    expect(await statuses()).toEqual(Array.from({ length: EVENTS }, () => 'delivered 1'))
    // How many are recorded together depends on the machine; one by one, they would need three a message.
    expect(statements).toBeLessThan(2 * EVENTS)
  })

  test('are recorded while another transaction locks one of them, which is recorded afterwards', async () => {
    await complete(30)
    const client = await world.application.services.pool.connect()
    const pending = async () =>
      (await statuses()).filter((status: string) => !status.startsWith('delivered')).length as number
    receiver.setReply(`${path}/many`, async (response, { headers }) => {
      if (receiver.received(`${path}/many`).length === 10) {
        await client.query('begin')
        const lock = `select from webhook_delivery where 'msg_' || replace(message_id::text, '-', '') = $1 for update`
        await client.query(lock, [headers['webhook-id']])
      }
      response.end()
    })
    try {
      const delivering = world.runJobs()
      await waitUntil(async () => (await pending()) === 1, 20_000)
      await client.query('commit')
      await delivering
      expect(await pending()).toBe(0)
    } finally {
      client.release(true)
    }
  })
})

describe('status 410 from a subscriber', () => {
  test('deletes the webhook [spec 11.1]', async () => {
    receiver.setReply(path, replyHandlers.status(410))
    await makeSurvey(ann)
    await send()
    expect((await ann.get(webhook.webhook_uri)).status).toBe(404)
    expect((await ann.get(WEBHOOKS)).body).toMatchObject({ results: [], count: 0 })
    await send()
    expect(receiver.received(path).length).toBeLessThanOrEqual(2)
  })
})

describe('a webhook to a private address [spec 11.5]', () => {
  const strictWorld = useWorld({ blockPrivateTargets: true })

  test.each(['http://127.0.0.1/', 'http://localhost/', 'http://10.1.2.3/', 'http://[::1]/', 'http://169.254.169.254/'])(
    'returns 400 for %s',
    async (subscription_url) => {
      const person = await strictWorld.person()
      const json = { subscription_url, event: 'survey_create' }
      expect(await person.post(WEBHOOKS, { json })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'subscription_url', message: expect.stringMatching(/internal/) }] },
      })
    },
  )

  test('is not called if a DNS lookup returns the private address', async () => {
    const person = await strictWorld.person()
    const { port } = new URL(receiver.url('/'))
    const json = { subscription_url: `http://${hostname()}:${port}/inside`, event: 'survey_create' }
    const { deliveries_uri } = (await person.post(WEBHOOKS, { json })).body
    await makeSurvey(person)
    await strictWorld.runJobs()
    expect((await person.get(deliveries_uri)).body.results).toMatchObject([
      { status: 'pending', attempts: [{ status: null, error: expect.stringMatching(/internal/) }] },
    ])
    expect(receiver.received('/inside')).toEqual([])
  })
})
