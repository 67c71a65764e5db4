import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string
let surveyUri: string
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  surveyUri = (await ann.post('/api/v2/surveys/', { json: { title: 'Feedback' } })).body.uri
  uri = `${surveyUri}collectors/`
})

describe('listCollectors [spec 5.7]', () => {
  test('returns total and collectors, with the default collector first', async () => {
    const { body } = await ann.get(uri)
    expect(body).toEqual({
      total: 1,
      collectors: [
        {
          id: expect.any(Number),
          name: 'Default',
          status: 'live',
          survey: surveyUri,
          deploy_uri: `${world.base}/surveys/ann/feedback/`,
          responses: 0,
          is_default: true,
        },
      ],
    })
  })
})

describe('createCollector [spec 5.7]', () => {
  test('accepts the name in the query or in the body', async () => {
    const replies = [
      await ann.post(`${uri}?name=Letter`),
      await ann.post(uri, { form: { name: 'Letter' } }),
      await ann.post(uri, { json: { name: 'Letter' } }),
      await ann.post(uri, { multipart: { name: 'Letter' } }),
    ]
    for (const { status, body } of replies) {
      expect(status).toBe(200)
      expect(body.collector).toMatchObject({ name: 'Letter', is_default: false })
      expect(body.collector.deploy_uri).toBe(`${world.base}/surveys/ann/feedback/?collector=${body.collector.id}`)
    }
    expect(await ann.post(uri)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('deleteCollector', () => {
  test('accepts the id in the query or in the body', async () => {
    const [, one, two] = (await ann.get(uri)).body.collectors
    expect(await ann.delete(`${uri}?id=${one.id}`)).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.delete(uri, { form: { id: two.id } })).status).toBe(200)
    expect(await ann.delete(`${uri}?id=${one.id}`)).toMatchObject({
      status: 404,
      body: { code: 'collector_not_found' },
    })
    expect((await ann.delete(uri)).status).toBe(400)
  })

  test('rejects the default collector and a collector of another survey', async () => {
    const [first] = (await ann.get(uri)).body.collectors
    expect(await ann.delete(`${uri}?id=${first.id}`)).toMatchObject({
      status: 409,
      body: { code: 'collector_default' },
    })
    const other = (await ann.post('/api/v2/surveys/', { json: { title: 'Other' } })).body.uri
    expect((await ann.delete(`${other}collectors/?id=${first.id}`)).status).toBe(404)
  })
})
