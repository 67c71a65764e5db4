import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let surveyUri: string
let uri: string
let collector: { id: number }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  surveyUri = (await ann.post('/api/v2/surveys/', { json: { title: 'Feedback' } })).body.uri
  collector = (await ann.post(`${surveyUri}collectors/`, { form: { name: 'Letter' } })).body.collector
  uri = `${surveyUri}invite-codes/`
})

describe('createInviteCodes', () => {
  test('returns count and invites, each with invite_url and a unique code of 8 unambiguous characters [spec 9.2]', async () => {
    const { status, body } = await ann.post(`${uri}?count=1000`)
    expect(status).toBe(200)
    expect(body.count).toBe(1000)
    expect(Object.keys(body)).toEqual(['count', 'invites'])
    expect(new Set(body.invites.map(({ code }: { code: string }) => code)).size).toBe(1000)
    for (const invite of body.invites) {
      expect(Object.keys(invite)).toEqual(['code', 'invite_url'])
      expect(invite.code).toMatch(/^[a-km-np-zA-HJ-NP-Z2-9]{8}$/)
      expect(invite.invite_url).toBe(`${world.base}/surveys/ann/feedback/?code=${invite.code}`)
    }
  })

  test('accepts the parameters in the body', async () => {
    expect((await ann.post(uri, { form: { count: 2, collector: collector.id } })).body.count).toBe(2)
    expect((await ann.get(`${uri}?collector=${collector.id}`)).body.total).toBe(2)
  })

  test.each(['count=0', 'count=1001', 'count=-1', 'count=ten', ''])(
    'returns 400 for the query "%s" [spec 9.2]',
    async (query) => {
      const before = (await ann.get(uri)).body.total
      expect(await ann.post(`${uri}?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
      expect((await ann.get(uri)).body.total).toBe(before)
    },
  )

  test('returns 404 for a collector of another survey', async () => {
    const other = (await ann.post('/api/v2/surveys/', { json: { title: 'Other' } })).body.uri
    expect(await ann.post(`${other}invite-codes/?count=1&collector=${collector.id}`)).toMatchObject({
      status: 404,
      body: { code: 'collector_not_found' },
    })
  })

  test('returns 404 for a survey of another account', async () => {
    const bob = await world.person()
    expect(await bob.post(`${uri}?count=1`)).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
    expect((await bob.get(uri)).status).toBe(404)
  })
})

describe('listInviteCodes', () => {
  test('uses offset 0 and limit 50 by default, and limits pages to 200 [spec 9.2]', async () => {
    const { body } = await ann.get(uri)
    expect(body).toMatchObject({ count: 50, start: 0, total: 1002 })
    expect(Object.keys(body)).toEqual(['count', 'start', 'total', 'invites'])
    expect((await ann.get(`${uri}?limit=500`)).body.count).toBe(200)
    expect((await ann.get(`${uri}?limit=0`)).body.count).toBe(50)
    const far = await ann.get(`${uri}?offset=1000&limit=200`)
    expect(far.body).toMatchObject({ count: 2, start: 1000, total: 1002 })
  })

  test('returns an empty status and no response for an unused code', async () => {
    const [invite] = (await ann.get(`${uri}?limit=1`)).body.invites
    expect(invite).toEqual({ code: expect.any(String), invite_url: expect.any(String), status: '' })
  })
})
