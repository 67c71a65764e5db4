import { beforeAll, describe, expect, test } from '@jest/globals'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import { respond } from '../../support/respondents.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let survey: { id: number; collectors_uri: string; survey_uri: string }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body
})

/** Stores a response through a collector. */
const respondBy = (collectorId: number) => respond(world, survey.id, { collectorId })

describe('listSurveyCollectors', () => {
  test('returns a default collector for every survey', async () => {
    const { status, body } = await ann.get(survey.collectors_uri)
    expect(status).toBe(200)
    expect(body).toMatchObject({ count: 1, next: null, previous: null })
    expect(body.results[0]).toEqual({
      id: expect.any(Number),
      name: 'Default',
      live: 1,
      survey: survey.id,
      survey_uri: survey.survey_uri,
      collector_uri: `${world.base}/api/v3/collectors/${body.results[0].id}/`,
      deploy_url: `${world.base}/surveys/ann/feedback/`,
      responses: 0,
      is_default: true,
      settings: {},
    })
  })
})

describe('createSurveyCollector [spec 5.7]', () => {
  test('accepts a name in JSON, form and multipart', async () => {
    for (const sent of [
      { json: { name: 'Letter' } },
      { form: { name: 'Letter' } },
      { multipart: { name: 'Letter' } },
    ]) {
      const { status, body } = await ann.post(survey.collectors_uri, sent)
      expect(status).toBe(201)
      expect(body).toMatchObject({ name: 'Letter', live: 1, is_default: false, responses: 0, survey: survey.id })
      expect(body.deploy_url).toBe(`${world.base}/surveys/ann/feedback/?collector=${body.id}`)
    }
    expect(await ann.post(survey.collectors_uri)).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } })
  })

  test('succeeds for many concurrent requests', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => ann.post(survey.collectors_uri, { form: { name: `At once ${index}` } })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201))
  })
})

describe('createCollector', () => {
  test('accepts a name and a survey', async () => {
    const reply = await ann.post('/api/v3/collectors/', { form: { name: 'Poster', survey: survey.id, live: 0 } })
    expect(reply).toMatchObject({ status: 201, body: { name: 'Poster', survey: survey.id, live: 0 } })
    expect((await ann.get(reply.body.collector_uri)).body).toEqual(reply.body)
    const without = await ann.post('/api/v3/collectors/', { form: { name: 'Poster' } })
    expect(without).toMatchObject({ status: 400, body: { errors: [{ field: 'survey' }] } })
  })

  test('returns 404 for a survey of another account', async () => {
    const reply = await bob.post('/api/v3/collectors/', { form: { name: 'Poster', survey: survey.id } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
  })
})

describe('listCollectors', () => {
  test('returns the collectors of all surveys of the account, and no collectors of other accounts', async () => {
    const other = (await bob.post('/api/v3/surveys/', { form: { name: 'Other' } })).body
    const { body } = await bob.get('/api/v3/collectors/')
    expect(body.results.map(({ survey }: { survey: number }) => survey)).toEqual([other.id])
    const mine = (await ann.get('/api/v3/collectors/?page_size=100')).body
    expect(mine.count).toBe(mine.results.length)
    expect(mine.results.every(({ survey: id }: { survey: number }) => id === survey.id)).toBe(true)
  })
})

describe('updateCollector [spec 5.7]', () => {
  test('changes name and live, and invalidates cached copies of the survey', async () => {
    const { body } = await ann.post(survey.collectors_uri, { form: { name: 'Old' } })
    const before = (await getSnapshot(world.em(), survey.id))!
    const reply = await ann.put(body.collector_uri, { form: { name: 'New', live: 0 } })
    expect(reply).toMatchObject({ status: 200, body: { id: body.id, name: 'New', live: 0 } })
    const after = (await getSnapshot(world.em(), survey.id))!
    expect(after.revision).toBeGreaterThan(before.revision)
    expect(after.collectors.get(body.id)).toMatchObject({ name: 'New', live: false })
    expect((await ann.put(body.collector_uri)).body).toEqual(reply.body)
  })
})

describe('getCollector', () => {
  test('returns the number of responses that arrived through the collector', async () => {
    const { body } = await ann.post(survey.collectors_uri, { form: { name: 'Counted' } })
    await respondBy(body.id)
    await respondBy(body.id)
    expect((await ann.get(body.collector_uri)).body.responses).toBe(2)
  })
})

describe('deleteCollector [spec 5.7]', () => {
  test('returns "OK", after which the collector is not found', async () => {
    const { body } = await ann.post(survey.collectors_uri, { form: { name: 'Short-lived' } })
    expect(await ann.delete(body.collector_uri)).toMatchObject({ status: 200, text: '"OK"' })
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await ann.send(method, body.collector_uri)).toMatchObject({
        status: 404,
        body: { code: 'collector_not_found' },
      })
  })

  test('returns 409 for the default collector', async () => {
    const [first] = (await ann.get(survey.collectors_uri)).body.results
    expect(await ann.delete(first.collector_uri)).toMatchObject({ status: 409, body: { code: 'collector_default' } })
    expect((await ann.get(first.collector_uri)).status).toBe(200)
  })

  test('returns 409 for a collector with responses', async () => {
    const { body } = await ann.post(survey.collectors_uri, { form: { name: 'Used' } })
    await respondBy(body.id)
    expect(await ann.delete(body.collector_uri)).toMatchObject({
      status: 409,
      body: { code: 'collector_has_responses' },
    })
    expect((await ann.get(body.collector_uri)).body.responses).toBe(1)
  })
})
