import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openDevMailbox } from '../../src/lib/dev-mailbox.ts'
import { replyHandlers, useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
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
const pass = async (millis: number) => {
  world.now = new Date(world.now.getTime() + millis)
  await world.runJobs()
}
const send = async () => {
  await makeSurvey(ann)
  await world.runJobs()
}

describe('retry', () => {
  test('first after about five seconds, the same message under the same id, signed anew', async () => {
    receiver.setReply(path, replyHandlers.status(500))
    await send()
    expect(await secondsLeft()).toBeGreaterThanOrEqual(4.5)
    expect(await secondsLeft()).toBeLessThanOrEqual(5.5)
    await pass(4000)
    expect(receiver.received(path)).toHaveLength(1)
    receiver.setReply(path, replyHandlers.status(200))
    await pass(2000)
    const [first, second] = receiver.received(path)
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(second!.headers['webhook-timestamp']).not.toBe(first!.headers['webhook-timestamp'])
    expect(await newest()).toMatchObject({ status: 'delivered', attempts: [{ status: 500 }, { status: 200 }] })
  })

  test.each([
    ['a redirect is a failure', replyHandlers.status(302, { location: '/elsewhere' }), { response_code: 302 }],
    ['404 is a failure', replyHandlers.status(404), { response_code: 404 }],
    [
      'a broken connection is a failure',
      replyHandlers.disconnect,
      { response_code: null, attempts: [{ error: expect.stringMatching(/connection was closed/) }] },
    ],
  ])('%s', async (_, manner, shown) => {
    receiver.setReply(path, manner)
    await send()
    expect(await newest()).toMatchObject({ status: 'pending', ...shown })
    expect(receiver.received('/elsewhere')).toEqual([])
  })

  test('Retry-After is obeyed, in seconds and as a date, for all that waits', async () => {
    receiver.setReply(path, replyHandlers.status(503, { 'retry-after': '120' }))
    await send()
    expect(await secondsLeft()).toBe(120)
    await makeSurvey(ann)
    await pass(119_000)
    expect(receiver.received(path)).toHaveLength(1)
    const date = new Date(world.now.getTime() + 3_600_000)
    receiver.setReply(path, replyHandlers.status(429, { 'retry-after': date.toUTCString() }))
    await pass(2000)
    const { body } = await ann.get(webhook.deliveries_uri)
    expect(body.results.map((one: { next_attempt_at: string }) => Date.parse(one.next_attempt_at))).toContain(
      Math.floor(date.getTime() / 1000) * 1000,
    )
    receiver.setReply(path, replyHandlers.status(200))
    await pass(3_600_000)
    expect((await ann.get(webhook.deliveries_uri)).body.results).toMatchObject([
      { status: 'delivered' },
      { status: 'delivered' },
    ])
  })

  test('ten attempts in three days, then the webhook is off, until a ping arrives', async () => {
    receiver.setReply(path, replyHandlers.status(500))
    const began = world.now.getTime()
    await send()
    for (let attempt = 2; attempt <= 10; attempt++) await pass((await secondsLeft()) * 1000)
    expect(receiver.received(path)).toHaveLength(10)
    expect(world.now.getTime() - began).toBeGreaterThan(2.6 * DAY)
    expect(world.now.getTime() - began).toBeLessThan(3.4 * DAY)
    expect(await newest()).toMatchObject({ status: 'failed', next_attempt_at: null })
    expect((await ann.get(webhook.webhook_uri)).body).toMatchObject({
      disabled_at: world.now.toISOString(),
      disabled_reason: expect.stringMatching(/status 500/),
    })
    await world.runJobs()
    const [notice] = await (await openDevMailbox(join(world.dataDir, 'outbox'))).list(1)
    expect(notice).toMatchObject({ to: { address: ann.actor.email }, subject: 'Webhook disabled' })
    expect(notice!.text).toContain('status 500')
    receiver.setReply(path, replyHandlers.status(200))
    await send()
    await pass(7 * DAY)
    expect(receiver.received(path)).toHaveLength(10)
    await ann.post(`${webhook.webhook_uri}ping/`)
    await world.runJobs()
    expect((await ann.get(webhook.webhook_uri)).body).toMatchObject({ disabled_at: null, disabled_reason: null })
    await send()
    expect(receiver.received(path)).toHaveLength(12)
  })
})

describe('active → removed', () => {
  test('the subscriber answers a callback with status 410', async () => {
    receiver.setReply(path, replyHandlers.status(410))
    await makeSurvey(ann)
    await send()
    expect((await ann.get(webhook.webhook_uri)).status).toBe(404)
    expect((await ann.get('/api/v2/webhooks/')).body).toEqual({ webhooks: [], total: 0 })
    await send()
    expect(receiver.received(path).length).toBeLessThanOrEqual(2)
  })
})

describe('an internal target', () => {
  const guarded = useWorld({ blockPrivateTargets: true })

  test.each(['http://127.0.0.1/', 'http://localhost/', 'http://10.1.2.3/', 'http://[::1]/', 'http://169.254.169.254/'])(
    '%s is refused at subscription',
    async (subscription_url) => {
      const person = await guarded.person()
      const json = { subscription_url, event: 'survey_create' }
      expect(await person.post(WEBHOOKS, { json })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'subscription_url', message: expect.stringMatching(/internal/) }] },
      })
      expect((await person.post('/api/v2/webhooks/subscribe/', { json })).status).toBe(400)
    },
  )

  test('a name that resolves to one is not dialled', async () => {
    const person = await guarded.person()
    const { port } = new URL(receiver.url('/'))
    const json = { subscription_url: `http://${hostname()}:${port}/inside`, event: 'survey_create' }
    const { deliveries_uri } = (await person.post(WEBHOOKS, { json })).body
    await makeSurvey(person)
    await guarded.runJobs()
    expect((await person.get(deliveries_uri)).body.results).toMatchObject([
      { status: 'pending', attempts: [{ status: null, error: expect.stringMatching(/internal/) }] },
    ])
    expect(receiver.received('/inside')).toEqual([])
  })
})
