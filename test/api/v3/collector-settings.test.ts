import { beforeAll, describe, expect, test } from '@jest/globals'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: { id: number; collectors_uri: string; survey_settings_uri: string; responses_uri: string }
let collector: { id: number; collector_uri: string }
beforeAll(async () => {
  ann = await world.person()
})
const createSurveyAndCollector = async () => {
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body
  collector = (await ann.post(survey.collectors_uri, { form: { name: 'Poster' } })).body
}
const effectiveSettings = async () => (await getSnapshot(world.em(), survey.id))!.collectors.get(collector.id)!.settings

describe('updateCollector settings [spec 5.7]', () => {
  beforeAll(createSurveyAndCollector)

  test('overrides the given settings of the survey, and keeps the other settings of the collector', async () => {
    await ann.put(survey.survey_settings_uri, { json: { thank_you_message: 'Thanks', closed_message: 'Closed' } })
    const first = await ann.put(collector.collector_uri, {
      json: { settings: { closed_message: 'The poster has expired' } },
    })
    expect(first).toMatchObject({ status: 200, body: { settings: { closed_message: 'The poster has expired' } } })
    const second = await ann.put(collector.collector_uri, { json: { settings: { progress_bar: false } } })
    expect(second.body.settings).toEqual({ closed_message: 'The poster has expired', progress_bar: false })
    expect(await effectiveSettings()).toMatchObject({
      thank_you_message: 'Thanks',
      closed_message: 'The poster has expired',
      progress_bar: false,
    })
    expect((await ann.get(collector.collector_uri)).body).toEqual(second.body)
  })

  test('leaves out the anonymity threshold, which only a survey has', async () => {
    const reply = await ann.put(collector.collector_uri, { json: { settings: { anonymity_threshold: 2 } } })
    expect(reply.status).toBe(200)
    expect(reply.body.settings).not.toHaveProperty('anonymity_threshold')
    expect(await effectiveSettings()).toMatchObject({ anonymity_threshold: 5 })
  })

  test('reads the settings of a form as JSON', async () => {
    const form = { settings: JSON.stringify({ redirect_url: 'https://example.org/done' }) }
    expect((await ann.put(collector.collector_uri, { form })).body.settings).toMatchObject({
      redirect_url: 'https://example.org/done',
    })
  })

  test('stores secrets and never returns them', async () => {
    const custom_authentication = { enabled: true, endpoint_uri: 'https://id.example.org', client_secret: 'hush hush' }
    const reply = await ann.put(collector.collector_uri, {
      json: { settings: { password: 'open sesame', custom_authentication } },
    })
    expect(reply.body.settings).toMatchObject({
      password: true,
      custom_authentication: { enabled: true, client_secret_set: true },
    })
    for (const { text } of [reply, await ann.get(survey.collectors_uri)])
      expect(text).not.toMatch(/hush|sesame|argon|hash|encrypted/)
    expect((await effectiveSettings()).password_hash).toMatch(/^\$argon2id/)
  })

  test('removes all overrides for null', async () => {
    expect((await ann.put(collector.collector_uri, { json: { settings: null } })).body.settings).toEqual({})
    expect(await effectiveSettings()).toMatchObject({
      closed_message: 'Closed',
      password_hash: null,
      progress_bar: true,
    })
  })

  test.each([
    [{ max_responses: 0 }, 'settings.max_responses'],
    [{ redirect_url: 'javascript:alert(1)' }, 'settings.redirect_url'],
    [{ close_at: 'soon' }, 'settings.close_at'],
    [{ progress_bar: 'perhaps' }, 'settings.progress_bar'],
  ])('returns 400 for %j', async (settings, field) => {
    const reply = await ann.put(collector.collector_uri, { json: { settings } })
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toContainEqual(expect.objectContaining({ field, message: expect.any(String) }))
  })

  test('keeps the changes of four concurrent requests', async () => {
    const changes = [
      { closed_message: 'A' },
      { thank_you_message: 'B' },
      { progress_bar: false },
      { back_button: false },
    ]
    const replies = await Promise.all(
      changes.map((settings) => ann.put(collector.collector_uri, { json: { settings } })),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await ann.get(collector.collector_uri)).body.settings).toEqual(Object.assign({}, ...changes))
  })
})

describe('the anonymity of a collector', () => {
  beforeAll(createSurveyAndCollector)

  test('cannot be turned off after a response', async () => {
    expect((await ann.put(collector.collector_uri, { json: { settings: { anonymous: true } } })).status).toBe(200)
    expect((await ann.post(survey.responses_uri, { json: { _collector: collector.id } })).status).toBe(201)
    for (const settings of [{ anonymous: false }, null])
      expect(await ann.put(collector.collector_uri, { json: { settings } })).toMatchObject({
        status: 409,
        body: { code: 'anonymity_locked' },
      })
    expect(await ann.put(collector.collector_uri, { json: { name: 'Post' } })).toMatchObject({
      status: 200,
      body: { settings: { anonymous: true } },
    })
  })
})

describe('createCollector settings', () => {
  test('accepts settings at creation', async () => {
    const { status, body } = await ann.post('/api/v3/collectors/', {
      json: { name: 'Late', survey: survey.id, settings: { open_at: '2026-02-01' } },
    })
    expect(status).toBe(201)
    expect(body.settings).toEqual({ open_at: '2026-02-01T00:00:00.000Z' })
  })
})
