import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { insertDeliveries } from '../../../src/domain/event.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { type ReceivedRequest, replyHandlers, useReceiver } from '../../support/receiver.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const WEBHOOKS = '/api/v3/webhooks/'
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
})

let count = 0
const make = async (event = 'survey_create', members: object = {}, caller = ann) => {
  const path = `/hook${++count}`
  const json = { subscription_url: receiver.url(path), event, ...members }
  const reply = await caller.post(WEBHOOKS, { json })
  expect(reply.status).toBe(201)
  return { ...reply.body, path }
}

/** Computes a signature as Standard Webhooks specifies, independently of our code. */
const signature = (secret: string, { headers, body }: ReceivedRequest) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update([headers['webhook-id'], headers['webhook-timestamp'], body].join('.'))
    .digest('base64')}`

describe('createWebhook', () => {
  test('returns 201 with all properties and the secret', async () => {
    const survey = await makeSurvey(ann)
    const { path, ...webhook } = await make('response_complete', { survey })
    const uri = `${world.base}${WEBHOOKS}${webhook.id}/`
    expect(webhook).toEqual({
      id: expect.any(Number),
      event: 'response_complete',
      survey,
      collector: null,
      subscription_url: receiver.url(path),
      format: 'form',
      created_at: '2026-01-15T12:00:00.000Z',
      disabled_at: null,
      disabled_reason: null,
      webhook_uri: uri,
      deliveries_uri: `${uri}deliveries/`,
      secret: expect.stringMatching(/^whsec_/),
    })
    const { secret: _, ...shown } = webhook
    expect((await ann.get(uri)).body).toEqual(shown)
  })

  test('stores the secret encrypted', async () => {
    const { id, secret } = await make()
    const { rows } = await world.application.services.pool.query('select * from webhook where id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6, 30))
  })

  test.each([
    ['an unknown survey', { survey: 999_999 }, 404, 'survey_not_found'],
    ['an unknown collector', { collector: 999_999 }, 404, 'collector_not_found'],
    ['an unknown event', { event: 'other' }, 400, 'invalid_request'],
    ['an unknown format', { format: 'xml' }, 400, 'invalid_request'],
  ])('returns an error for %s', async (_, more, status, code) => {
    const json = { subscription_url: receiver.url('/no'), event: 'response_complete', ...more }
    expect(await ann.post(WEBHOOKS, { json })).toMatchObject({ status, body: { code } })
  })
})

describe('listWebhooks', () => {
  test('returns pages of the caller’s webhooks, oldest first', async () => {
    const eve = await world.person()
    const created = []
    for (let index = 0; index < 3; index++) created.push((await make('contact_create', {}, eve)).id)
    const first = (await eve.get(`${WEBHOOKS}?page_size=2`)).body
    expect(first).toMatchObject({ count: 3, previous: null, results: [{ id: created[0] }, { id: created[1] }] })
    expect((await eve.get(first.next)).body).toMatchObject({ next: null, results: [{ id: created[2] }] })
  })
})

describe('getWebhook', () => {
  test('returns 404 for a webhook of another account and everything under it', async () => {
    const { id } = await make()
    const calls = [
      bob.get(`${WEBHOOKS}${id}/`),
      bob.delete(`${WEBHOOKS}${id}/`),
      bob.get(`${WEBHOOKS}${id}/deliveries/`),
      bob.get(`${WEBHOOKS}${id}/deliveries/1/`),
      bob.post(`${WEBHOOKS}${id}/deliveries/1/redeliver/`),
      bob.post(`${WEBHOOKS}${id}/ping/`),
      bob.post(`${WEBHOOKS}${id}/rotate/`),
    ]
    for (const reply of await Promise.all(calls))
      expect(reply).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } })
  })
})

describe('deleteWebhook', () => {
  test('deletes the webhook and its log and cancels pending deliveries', async () => {
    const { id, path } = await make()
    await makeSurvey(ann)
    expect(await ann.delete(`${WEBHOOKS}${id}/`)).toMatchObject({ status: 200, body: 'OK' })
    await world.runJobs()
    expect(receiver.received(path)).toEqual([])
    expect((await ann.get(`${WEBHOOKS}${id}/`)).status).toBe(404)
  })
})

describe('rotateWebhookSecret [spec 11.4]', () => {
  test('signs with both secrets for 24 hours, then with the new secret only', async () => {
    const { id, secret: old, path } = await make()
    const { status, body } = await ann.post(`${WEBHOOKS}${id}/rotate/`)
    expect(status).toBe(200)
    expect(body.secret).not.toBe(old)
    const sent = async () => {
      await ann.post(`${WEBHOOKS}${id}/ping/`)
      await world.runJobs()
      return receiver.received(path).at(-1)!
    }
    const during = await sent()
    expect(during.headers['webhook-signature']).toBe(`${signature(body.secret, during)} ${signature(old, during)}`)
    world.now = new Date(world.now.getTime() + 24 * 3_600_000)
    const after = await sent()
    expect(after.headers['webhook-signature']).toBe(signature(body.secret, after))
  })
})

describe('pingWebhook', () => {
  test.each([
    ['survey_create', 'survey_creator_name survey_name survey_creator_email survey_url'],
    [
      'response_complete',
      'score invite_email invite_name language referrer created_at survey_name updated_at survey_url id _id _created_at _key question',
    ],
    ['report_create', 'report_url report_creator_name report_creator_email survey_url'],
    ['contact_create', 'name email'],
  ])('sends a signed sample of %s with every field', async (event, names) => {
    const { id, path, secret } = await make(event)
    const reply = await ann.post(`${WEBHOOKS}${id}/ping/`)
    expect(reply).toMatchObject({ status: 202, body: { event, status: 'pending', attempts: [], response_code: null } })
    await world.runJobs()
    const [received] = receiver.received(path)
    expect(received!.form.map(([name]) => name).join(' ')).toBe(names)
    expect(received!.headers['webhook-id']).toBe(reply.body.message_id)
    expect(received!.headers['webhook-timestamp']).toBe(String(Math.floor(world.now.getTime() / 1000)))
    expect(received!.headers['webhook-signature']).toBe(signature(secret, received!))
  })
})

describe('listDeliveries', () => {
  test('returns status, response code, time and attempt of each delivery, newest first, as getDelivery does [spec 11.2]', async () => {
    const { id, path, deliveries_uri } = await make()
    await ann.post(`${WEBHOOKS}${id}/ping/`)
    await world.runJobs()
    receiver.setReply(path, replyHandlers.status(500))
    await ann.post(`${WEBHOOKS}${id}/ping/`)
    await world.runJobs()
    const { body } = await ann.get(deliveries_uri)
    expect(body).toMatchObject({
      count: 2,
      results: [
        { status: 'pending', response_code: 500, delivered_at: null, next_attempt_at: expect.any(String) },
        { status: 'delivered', response_code: 200, delivered_at: world.now.toISOString(), next_attempt_at: null },
      ],
    })
    const [newest] = body.results
    const attempt = {
      attempted_at: world.now.toISOString(),
      status: 500,
      error: null,
      response_body: 'received',
      duration_ms: expect.any(Number),
    }
    expect(newest.attempts).toEqual([attempt])
    expect((await ann.get(newest.delivery_uri)).body).toEqual(newest)
    expect((await ann.get(`${deliveries_uri}?page_size=1`)).body).toMatchObject({ count: 2, next: expect.any(String) })
  })

  test('omits deliveries older than thirty days', async () => {
    const { id, deliveries_uri } = await make()
    await ann.post(`${WEBHOOKS}${id}/ping/`)
    await world.runJobs()
    const prune = async (days: number) => {
      world.now = new Date(world.now.getTime() + days * 86_400_000)
      await world.application.boss.send('purge-webhook-deliveries', {})
      await world.runJobs()
      return (await ann.get(deliveries_uri)).body.count
    }
    expect(await prune(29.9)).toBe(1)
    expect(await prune(0.2)).toBe(0)
  })

  test('purges deliveries that were stored while their webhook was being deleted', async () => {
    const { id } = await make()
    const db = world.em().getKysely<Tables>()
    await insertDeliveries(world.context(), 'survey_create', [{ webhook: id, body: 'survey_name=Lunch' }])
    await db.deleteFrom('webhook').where('id', '=', id).execute()
    world.now = new Date(world.now.getTime() + 30.1 * 86_400_000)
    await world.application.boss.send('purge-webhook-deliveries', {})
    await world.runJobs()
    expect(await db.selectFrom('webhook_delivery').selectAll().where('webhook_id', '=', id).execute()).toEqual([])
  })
})

describe('redeliver', () => {
  test('sends the same message again under the same webhook-id', async () => {
    const { id, path, deliveries_uri } = await make()
    await makeSurvey(ann)
    await world.runJobs()
    const [delivery] = (await ann.get(deliveries_uri)).body.results
    expect(await ann.post(delivery.redeliver_uri)).toMatchObject({ status: 202, body: { status: 'pending' } })
    await world.runJobs()
    const [first, second] = receiver.received(path)
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect((await ann.get(delivery.delivery_uri)).body).toMatchObject({ status: 'delivered', attempts: [{}, {}] })
    expect((await ann.post(`${WEBHOOKS}${id}/deliveries/999999/redeliver/`)).body.code).toBe('delivery_not_found')
  })
})

describe('the official library of Standard Webhooks [spec 11.4]', () => {
  // The library compares the time of a message with the clock of this machine.
  const before = world.now
  beforeAll(() => {
    world.now = new Date()
  })
  afterAll(() => {
    world.now = before
  })
  const deliver = async (format: 'form' | 'json') => {
    const survey = await makeSurvey(ann)
    const { id, secret, path } = await make('response_complete', { survey, format })
    const form = { _completed: '1', q1: '1', q3: 'Ünïcode "quoted" & = %' }
    await ann.post(`/api/v3/surveys/${survey}/responses/`, { form })
    await world.runJobs()
    const [received] = receiver.received(path)
    return { id, secret, received: received!, headers: received!.headers as Record<string, string> }
  }

  test('verifies and parses a JSON message, which has the members and texts of the form [spec 11.3]', async () => {
    const { secret, received, headers } = await deliver('json')
    expect(headers['content-type']).toBe('application/json')
    const event = new Webhook(secret).verify(received.body, headers)
    const { received: asForm } = await deliver('form')
    const own = {
      id: expect.any(String),
      _id: expect.any(String),
      _key: expect.any(String),
      survey_url: expect.any(String),
    }
    expect(event).toEqual({ ...Object.fromEntries(asForm.form), ...own })
    expect(event).toMatchObject({ survey_name: 'Every shape', q1: 'No', q3: 'Ünïcode "quoted" & = %' })
  })

  test('verifies a form without parsing it, and rejects a changed body in both formats', async () => {
    for (const format of ['form', 'json'] as const) {
      const { secret, received, headers } = await deliver(format)
      const webhook = new Webhook(secret)
      expect(() => webhook.verify(received.body, headers, { jsonParse: false })).not.toThrow()
      const changed = received.body.replace('Every', 'Other')
      expect(() => webhook.verify(changed, headers, { jsonParse: false })).toThrow('No matching signature found')
    }
  })

  test('verifies a sample and a repeated message in the format of the webhook', async () => {
    const { id, secret, received } = await deliver('json')
    await ann.post(`${WEBHOOKS}${id}/ping/`)
    const [, original] = (await ann.get(`${WEBHOOKS}${id}/deliveries/`)).body.results
    expect(original.request_body).toBe(received.body)
    await ann.post(original.redeliver_uri)
    await world.runJobs()
    const later = receiver.received(received.path).slice(1)
    const read = later.map(({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>))
    expect(read).toHaveLength(2)
    expect(read).toContainEqual(JSON.parse(received.body))
    expect(read).toContainEqual(expect.objectContaining({ survey_name: 'Sample survey' }))
  })
})
