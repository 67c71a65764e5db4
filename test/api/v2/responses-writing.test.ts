import { beforeAll, describe, expect, test } from '@jest/globals'
import { counts, EVERY_SHAPE, makeSurvey, stored, TWO_PAGES } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let survey: number
let uri: string
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  survey = await makeSurvey(ann)
  uri = `/api/v2/surveys/${survey}/responses/`
})

const create = async (json: object) => (await ann.post(uri, { json })).body as { id: number; key: string }

describe('createResponse', () => {
  test('creates a complete, scored response from a JSON dictionary of question IDs and values and returns success, id and key [spec 7.8]', async () => {
    const reply = await ann.post(uri, { json: { q1: '0', q3: 'because' } })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ success: true, id: expect.any(Number), key: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect(await stored(world, survey, reply.body.id)).toMatchObject({
      answers: { q1: 0, q3: 'because' },
      completed: 1,
      weighted_score: 10,
    })
  })

  test.each([
    ['form', { form: { q1: 'No', 'q1\\other': '' } }],
    ['multipart', { multipart: { q1: '1' } }],
    ['form without a Content-Type', { body: new TextEncoder().encode('q1=1') }],
  ])('accepts question IDs and values as %s [spec 7.8]', async (_, sent) => {
    const { status, body } = await ann.post(uri, sent)
    expect(status).toBe(200)
    expect(await stored(world, survey, body.id)).toMatchObject({ answers: { q1: 1 }, completed: 1 })
  })

  test('returns 500 survey_error for a value that is not a valid choice of the field [spec 7.8]', async () => {
    const before = await counts(world, survey)
    const reply = await ann.post(uri, { json: { q1: '7', q2: 'Pink' } })
    expect(reply.status).toBe(500)
    expect(reply.body).toEqual({
      code: 'survey_error',
      description: [
        ['q1', '"7" is not a valid choice for the field.'],
        ['q2', '"Pink" is not a valid choice for the field.'],
      ],
    })
    expect(await counts(world, survey)).toEqual(before)
  })

  test('returns 500 survey_error when an answer to the question is required [spec 7.8]', async () => {
    const reply = await ann.post(uri, { form: { q3: 'because' } })
    expect([reply.status, reply.body]).toEqual([
      500,
      { code: 'survey_error', description: [['q1', 'An answer to this question is required.']] },
    ])
  })

  test('returns 500 survey_error for a question that does not exist', async () => {
    const reply = await ann.post(uri, { json: { q1: '0', nosuch: 'x' } })
    expect(reply.body).toEqual({
      code: 'survey_error',
      description: [['nosuch', '“nosuch” is not a question of this survey']],
    })
  })

  test.each([
    ['no body', {}],
    ['an empty object', { json: {} }],
    ['an empty form', { form: {} }],
  ])('creates a blank, incomplete response from %s', async (_, sent) => {
    const { status, body } = await ann.post(uri, sent)
    expect(status).toBe(200)
    expect(await stored(world, survey, body.id)).toMatchObject({ answers: {}, completed: 0, weighted_score: null })
  })

  test('returns 400 and refers to version 3 for a survey of several pages [spec 7.8]', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    const reply = await ann.post(`/api/v2/surveys/${id}/responses/`, { json: { a: 'x' } })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.description).toMatch(/several pages.*version 3/)
  })

  test('requires no answers if _completed is 0 or 2, and stores _language', async () => {
    for (const completed of [0, 2]) {
      const { body } = await ann.post(uri, { json: { q3: 'x', _completed: String(completed), _language: 'de' } })
      expect(await stored(world, survey, body.id)).toMatchObject({ completed, language: 'de' })
    }
  })

  test('returns 400 for read-only metadata, and for an invalid _completed, _collector or _key', async () => {
    for (const [name, value] of [
      ['_username', 'x'],
      ['_completed', '7'],
      ['_collector', '99999999'],
      ['_key', 'short'],
    ] as const) {
      const reply = await ann.post(uri, { json: { q1: '0', [name]: value } })
      expect([name, reply.status, reply.body.code]).toEqual([name, 400, 'invalid_request'])
      expect(reply.body.description).toMatch(name)
    }
  })

  test('updates the response that has the given _key, and creates no second response from concurrent requests', async () => {
    const first = await create({ q1: '0', q3: 'first' })
    const before = await counts(world, survey)
    const again = { json: { q1: '1', q3: '', q4: 'true', _key: first.key } }
    const replies = await Promise.all([ann.post(uri, again), ann.post(uri, again)])
    for (const { status, body } of replies) expect([status, body]).toEqual([200, { success: true, ...first }])
    expect(await counts(world, survey)).toEqual(before)
    expect(await stored(world, survey, first.id)).toMatchObject({
      answers: { q1: 1, q4: true },
      completed: 1,
      weighted_score: 6,
      saves: 3,
    })
  })

  test('completes a blank response with the given _key and validates the whole response', async () => {
    const { id, key } = await create({})
    const reply = await ann.post(uri, { json: { q3: 'only this', _key: key } })
    expect([reply.status, reply.body.code]).toEqual([500, 'survey_error'])
    expect(await stored(world, survey, id)).toMatchObject({ answers: {}, completed: 0, saves: 1 })
    expect((await ann.post(uri, { json: { q1: '0', _key: key } })).status).toBe(200)
    expect(await stored(world, survey, id)).toMatchObject({ answers: { q1: 0 }, completed: 1 })
  })

  test('returns 404 for an unknown _key', async () => {
    const reply = await ann.post(uri, { json: { q1: '0', _key: 'ab'.repeat(20) } })
    expect([reply.status, reply.body.code]).toEqual([404, 'response_not_found'])
  })

  test('enforces max_responses for concurrent requests', async () => {
    const id = await makeSurvey(ann)
    await world
      .em()
      .execute(
        `update survey set settings = settings || '{"max_responses": 3}', revision = revision + 1 where id = ?`,
        [id],
      )
    const at = `/api/v2/surveys/${id}/responses/`
    const replies = await Promise.all(Array.from({ length: 10 }, () => ann.post(at, { json: { q1: '0' } })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(7).fill(409)])
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('survey_full')
    expect(await counts(world, id)).toEqual({ rows: 3, feed: 3, collectors: 3 })
  })

  test('enforces a quota for concurrent requests and terminates the responses over the quota', async () => {
    const quotas = [
      { name: 'yes', when: { all: [{ question: 'q1', op: 'eq', value: 0 }] }, limit: 2, action: 'terminate' },
    ]
    const id = await makeSurvey(ann, { ...EVERY_SHAPE, quotas })
    const at = `/api/v2/surveys/${id}/responses/`
    const replies = await Promise.all(Array.from({ length: 6 }, () => ann.post(at, { json: { q1: '0' } })))
    const rows = await Promise.all(replies.map(({ body }) => stored(world, id, body.id)))
    expect(rows.map((row) => row?.completed).sort()).toEqual([1, 1, 2, 2, 2, 2])
  })
})

describe('updateResponse', () => {
  test('changes completed and collector', async () => {
    const { id } = await create({ q1: '0' })
    const collector = (await ann.post(`/api/v2/surveys/${survey}/collectors/?name=Desk`)).body.collector.id
    const reply = await ann.put(`${uri}${id}/?completed=0&collector=${collector}`)
    expect([reply.status, reply.body]).toEqual([200, { success: true }])
    expect(await stored(world, survey, id)).toMatchObject({
      completed: 0,
      collector_id: collector,
      weighted_score: null,
    })
    expect((await ann.put(`${uri}${id}/?completed=1`)).status).toBe(200)
    expect(await stored(world, survey, id)).toMatchObject({ completed: 1, weighted_score: 10 })
  })

  test.each(['', '?completed=7', '?collector=99999999', '?nosuch=1'])(
    'returns 400 for the query "%s"',
    async (search) => {
      const { id } = await create({ q1: '0' })
      expect((await ann.put(`${uri}${id}/${search}`)).body.code).toBe('invalid_request')
    },
  )

  test('returns 404 for an unknown response', async () => {
    expect((await ann.put(`${uri}99999999/?completed=1`)).body.code).toBe('response_not_found')
  })
})

describe('deleteResponses', () => {
  test.each(['+', '%2B', '%20', ',', ' '])('accepts ids joined with %j [spec 7.8]', async (separator) => {
    const created = [await create({ q1: '0' }), await create({ q1: '0' }), await create({ q1: '0' })]
    const before = await counts(world, survey)
    const reply = await ann.delete(`${uri}?response_ids=${created.map(({ id }) => id).join(separator)}`)
    expect([reply.status, reply.body]).toEqual([200, { success: true }])
    const left = before.rows - 3
    expect(await counts(world, survey)).toEqual({ rows: left, feed: left, collectors: left })
  })

  test('accepts ids in the body, as a JSON list and as a form', async () => {
    const [a, b] = [await create({ q1: '0' }), await create({ q1: '0' })]
    expect((await ann.delete(uri, { json: { response_ids: [a.id] } })).body).toEqual({ success: true })
    expect((await ann.delete(uri, { form: { response_ids: b.id } })).body).toEqual({ success: true })
    expect(await stored(world, survey, a.id)).toBeUndefined()
    expect(await stored(world, survey, b.id)).toBeUndefined()
  })

  test('returns 404 with the unknown ID and deletes nothing', async () => {
    const { id } = await create({ q1: '0' })
    const reply = await ann.delete(`${uri}?response_ids=${id}+99999999`)
    expect([reply.status, reply.body.code]).toEqual([404, 'response_not_found'])
    expect(reply.body.description).toMatch('99999999')
    expect(await stored(world, survey, id)).toBeDefined()
  })

  test.each(['', '?response_ids=', '?response_ids=abc', '?response_ids=1+x'])(
    'returns 400 for the query %j',
    async (search) => {
      expect((await ann.delete(`${uri}${search}`)).body.code).toBe('invalid_request')
    },
  )
})

describe('response operations of another account', () => {
  test('return 404 for the survey on every path', async () => {
    const { id, key } = await create({ q1: '0' })
    const replies = await Promise.all([
      bob.post(uri, { json: { q1: '0' } }),
      bob.post(uri, { json: { q1: '0', _key: key } }),
      bob.post(uri, { body: 'q1\n0\n', headers: { 'content-type': 'text/csv' } }),
      bob.put(`${uri}${id}/?completed=1`),
      bob.delete(`${uri}?response_ids=${id}`),
    ])
    for (const { status, body } of replies) expect([status, body.code]).toEqual([404, 'survey_not_found'])
    expect((await world.anonymous.post(uri, { json: {} })).status).toBe(401)
  })
})
