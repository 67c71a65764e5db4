import { beforeAll, describe, expect, test } from '@jest/globals'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { counts, EVERY_SHAPE, makeSurvey, stored } from '../../support/responses.ts'
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
  uri = `/api/v3/surveys/${survey}/responses/`
})

const EVERY_ANSWER = {
  q1: 1,
  q2: [0, 2],
  q3: 'because',
  q4: true,
  grid_0: 0,
  grid_1: 1,
  rank: [2, 0, 1],
  nps: 9,
  when: '2026-01-02',
}

describe('createResponse', () => {
  test('stores any number of answers, to questions of several types, and returns url, id and key [spec 7.5]', async () => {
    const reply = await ann.post(uri, { json: EVERY_ANSWER })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toBeNull()
    expect(reply.body).toEqual({
      url: `${world.base}/surveys/ann/every-shape/${reply.body.key}/`,
      id: expect.any(Number),
      key: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect((await stored(world, survey, reply.body.id))?.answers).toEqual(EVERY_ANSWER)
  })

  test('stores an incomplete response without a score, and with the same metadata as an imported response', async () => {
    const { body } = await ann.post(uri, { json: { q1: 0 } })
    expect(await stored(world, survey, body.id)).toMatchObject({
      completed: 0,
      ip_address: '0.0.0.0',
      get_variables: 'IMPORTED&',
      weighted_score: null,
      language: '',
      username: '',
      locale: null,
      saves: 1,
      completion_time: null,
    })
  })

  test.each([
    ['no body', {}],
    ['an empty form', { form: {} }],
    ['an empty object', { json: {} }],
  ])('creates a blank response from %s [spec 7.5]', async (_, sent) => {
    const reply = await ann.post(uri, sent)
    expect(reply.status).toBe(201)
    expect((await stored(world, survey, reply.body.id))?.answers).toEqual({})
  })

  test('accepts a form with strings, labels, repeated keys, and the text of the choice Other in a key with a backslash [spec 7.3]', async () => {
    const form: [string, string][] = [
      ['q1', 'Other'],
      ['q1\\other', 'perhaps & maybe'],
      ['q2', '0'],
      ['q2', 'Blue'],
      ['q4', 'true'],
    ]
    const { body } = await ann.post(uri, { form })
    expect((await stored(world, survey, body.id))?.answers).toEqual({
      q1: 2,
      'q1\\other': 'perhaps & maybe',
      q2: [0, 2],
      q4: true,
    })
  })

  test('accepts multipart', async () => {
    const { body } = await ann.post(uri, { multipart: { q1: '2', 'q1\\other': 'ÄÖ', q3: 'line\r\nline' } })
    expect((await stored(world, survey, body.id))?.answers).toEqual({ q1: 2, 'q1\\other': 'ÄÖ', q3: 'line\r\nline' })
  })

  test('reads a body without Content-Type as a form', async () => {
    const { body } = await ann.post(uri, { body: new TextEncoder().encode('q3=plain') })
    expect((await stored(world, survey, body.id))?.answers).toEqual({ q3: 'plain' })
  })

  test('accepts _completed, _collector and _language, and scores a complete response', async () => {
    const collector = (await ann.post(`/api/v3/surveys/${survey}/collectors/`, { form: { name: 'Second' } })).body.id
    const { body } = await ann.post(uri, { form: { q1: 0, _completed: 1, _collector: collector, _language: 'fr' } })
    expect(await stored(world, survey, body.id)).toMatchObject({
      completed: 1,
      weighted_score: 10,
      collector_id: collector,
      language: 'fr',
    })
  })

  test.each([
    ['unknown question', { nosuch: 1 }, 'nosuch'],
    ['impossible choice', { q1: 7 }, 'q1'],
    ['an unknown choice of several', { q2: [0, 9] }, 'q2'],
    ['two answers to a question with a single choice', { q1: [0, 1] }, 'q1'],
    ['a grid without its row', { grid: 0 }, 'grid'],
    ['a day that does not exist', { when: '2026-02-30' }, 'when'],
    ['an object', { q3: { a: 1 } }, 'q3'],
    ['_completed=7', { _completed: 7 }, '_completed'],
    ['a collector of another survey', { _collector: 999999 }, '_collector'],
    ['an invalid language', { _language: 'not a language' }, '_language'],
    ['metadata that the sender cannot set', { _username: 'x' }, '_username'],
    ['a short _key', { _key: 'a'.repeat(39) }, '_key'],
  ])('returns 400 that names the field, for %s', async (_, json, field) => {
    const before = await counts(world, survey)
    const reply = await ann.post(uri, { json })
    expect(reply.status).toBe(400)
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(reply.body.errors[0].field).toMatch(field)
    expect(await counts(world, survey)).toEqual(before)
  })

  test('accepts responses of the owner to a closed survey', async () => {
    const closed = await makeSurvey(ann)
    await ann.put(`/api/v3/surveys/${closed}/`, { form: { live: 0 } })
    expect((await ann.post(`/api/v3/surveys/${closed}/responses/`, { form: { q1: 0 } })).status).toBe(201)
  })

  test('validates against a changed structure immediately', async () => {
    const id = await makeSurvey(ann)
    const at = `/api/v3/surveys/${id}/responses/`
    expect((await ann.post(at, { form: { q1: 2 } })).status).toBe(201)
    await restructure(id, 'new')
    const rejected = await ann.post(at, { form: { q1: 2 } })
    expect([rejected.status, rejected.body.errors[0].field]).toEqual([400, 'q1'])
    const reply = await ann.post(at, { form: { new: 2 } })
    expect((await stored(world, id, reply.body.id))?.answers).toEqual({ new: 2 })
  })

  test('accepts an answer to a question that is newer than the cached survey', async () => {
    const id = await makeSurvey(ann)
    const at = `/api/v3/surveys/${id}/responses/`
    await ann.post(at, { form: { q1: 0 } })
    await restructure(id, 'added')
    expect((await ann.post(at, { form: { added: 1 } })).status).toBe(201)
  })
})

/** Changes the id of the first question in the database only, as another process would: cached copies stay outdated. */
async function restructure(id: number, name: string): Promise<void> {
  const [page] = EVERY_SHAPE.form
  const [first, ...others] = page!.children
  const structure = { ...EVERY_SHAPE, form: [{ ...page, children: [{ ...first, id: name }, ...others] }] }
  const em = world.em()
  await em.execute('update survey set structure = ?, version = version + 1, revision = revision + 1 where id = ?', [
    JSON.stringify(normaliseStructure(structure)),
    id,
  ])
}

describe('updateResponse', () => {
  const create = async (json: object) => (await ann.post(uri, { json })).body.id as number

  test('returns 202 and OK, merges answers, removes empty ones and counts the save [spec 7.5]', async () => {
    const id = await create({ q1: 0, q3: 'first', q2: [1] })
    world.now = new Date('2026-01-16T08:00:00Z')
    const reply = await ann.put(`${uri}${id}/`, { form: { q1: 'No', q2: '' } })
    expect([reply.status, reply.body, reply.text]).toEqual([202, 'OK', '"OK"'])
    const after = await stored(world, survey, id)
    expect(after).toMatchObject({ answers: { q1: 1, q3: 'first' }, saves: 2, completed: 0 })
    expect(new Date(after!.updated_at)).toEqual(world.now)
    expect(new Date(after!.created_at).toISOString()).toBe('2026-01-15T12:00:00.000Z')
  })

  test('accepts JSON, multipart and _completed', async () => {
    const id = await create({ q1: 0 })
    expect((await ann.put(`${uri}${id}/`, { json: { q3: null, _completed: 1 } })).status).toBe(202)
    expect(await stored(world, survey, id)).toMatchObject({ completed: 1, weighted_score: 10 })
    expect((await ann.put(`${uri}${id}/`, { multipart: { q1: '1' } })).status).toBe(202)
    expect(await stored(world, survey, id)).toMatchObject({ completed: 1, weighted_score: 5 })
  })

  test.each([
    ['unknown question', { nosuch: 1 }, 'nosuch'],
    ['impossible choice', { q1: 7 }, 'q1'],
    ['unknown metadata', { _colour: 'red' }, '_colour'],
  ])('returns 400 that names the field, and changes nothing, for %s', async (_, json, field) => {
    const id = await create({ q1: 0 })
    const reply = await ann.put(`${uri}${id}/`, { json: { q3: 'new', ...json } })
    expect([reply.status, reply.body.errors[0].field]).toEqual([400, field])
    expect(await stored(world, survey, id)).toMatchObject({ answers: { q1: 0 }, saves: 1 })
  })

  test('returns 404 for an unknown response and for a response of another survey', async () => {
    const other = await makeSurvey(ann)
    const id = await create({ q1: 0 })
    for (const path of [`${uri}99999999/`, `/api/v3/surveys/${other}/responses/${id}/`, `${uri}abc/`])
      expect((await ann.put(path, { form: { q1: 0 } })).status).toBe(404)
  })
})

describe('deleteResponse', () => {
  test('returns 200 and OK, deletes the response and updates the counts', async () => {
    const { body } = await ann.post(uri, { json: { q1: 0 } })
    const before = await counts(world, survey)
    const reply = await ann.delete(`${uri}${body.id}/`)
    expect([reply.status, reply.body]).toEqual([200, 'OK'])
    expect(await counts(world, survey)).toEqual({
      rows: before.rows - 1,
      feed: before.rows - 1,
      collectors: before.rows - 1,
    })
    expect((await ann.delete(`${uri}${body.id}/`)).status).toBe(404)
  })
})

describe('response operations of another account', () => {
  test('return 404 for the survey on every path', async () => {
    const { body } = await ann.post(uri, { json: { q1: 0 } })
    const replies = await Promise.all([
      bob.post(uri, { json: { q1: 0 } }),
      bob.put(`${uri}${body.id}/`, { json: { q1: 0 } }),
      bob.delete(`${uri}${body.id}/`),
      bob.get(`${uri}changes/`),
    ])
    expect(replies.map((reply) => [reply.status, reply.body.code])).toEqual(
      replies.map(() => [404, 'survey_not_found']),
    )
    expect((await world.anonymous.post(uri, { json: { q1: 0 } })).status).toBe(401)
  })
})
