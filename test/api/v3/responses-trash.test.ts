import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { respond } from '../../support/respondents.ts'
import { counts, makeSurvey, stored } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
})

let survey: number
let uri: string
let first: number
let second: number
beforeEach(async () => {
  survey = await makeSurvey(ann)
  uri = `/api/v3/surveys/${survey}/responses/`
  first = (await respond(world, survey, { answers: { q1: 1, q2: [0, 2], q3: 'Fine', grid_0: 1 } })).id
  second = (await respond(world, survey, { answers: { q1: 0 } })).id
})

const advance = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}
async function purge(): Promise<void> {
  await world.application.boss.send('purge-expired-credentials', {})
  await world.runJobs()
}
const pool = () => world.application.services.pool
const me = () => expect.stringMatching(new RegExp(`/api/v3/users/${ann.actor.id}/$`))
const trash = async () => (await ann.get(`${uri}trash/`)).body
const history = async (id: number) => (await ann.get(`${uri}${id}/history/`)).body.results

describe('listTrash', () => {
  test('lists deleted responses as they were, the last deleted first, with who deleted them and why', async () => {
    const before = (await ann.get(`${uri}${first}/`)).body
    await ann.delete(`${uri}${second}/`)
    advance(1)
    await ann.delete(`${uri}${first}/?reason=${encodeURIComponent('A test')}`)
    expect(await trash()).toMatchObject({
      count: 2,
      results: [
        { response_id: first, response: before, deleted_by: me(), reason: 'A test' },
        { response_id: second, reason: null },
      ],
    })
    const [{ deleted_at, erased_at }] = (await trash()).results
    expect(Date.parse(erased_at) - Date.parse(deleted_at)).toBe(30 * 86_400_000)
    expect((await ann.get(`${uri}trash/?page_size=1&page=2`)).body).toMatchObject({
      count: 2,
      next: null,
      results: [{ response_id: second }],
    })
    expect((await ann.get(`${uri}${first}/`)).status).toBe(404)
    expect(await counts(world, survey)).toEqual({ rows: 0, feed: 0, collectors: 0 })
  })

  test('shows nothing to another account', async () => {
    await ann.delete(`${uri}${first}/`)
    for (const reply of [
      await bob.get(`${uri}trash/`),
      await bob.delete(`${uri}trash/`),
      await bob.post(`${uri}trash/${first}/`),
      await bob.delete(`${uri}trash/${first}/`),
      await bob.get(`${uri}${second}/history/`),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'survey_not_found'])
    expect((await trash()).count).toBe(1)
  })
})

describe('restoreResponse', () => {
  test('restores the same row, its counters and its place in the change feed and in filtered lists', async () => {
    const row = await stored(world, survey, first)
    const reports = async () => (await ann.get(`${uri}?q1=1`)).body.count
    expect(await reports()).toBe(1)
    await ann.delete(`${uri}${first}/`)
    expect(await reports()).toBe(0)
    const { next_cursor: since } = (await ann.get(`${uri}changes/`)).body
    const reply = await ann.post(`${uri}trash/${first}/`)
    expect(reply).toMatchObject({ status: 201, body: { _id: first, q1: 1, q2: [0, 2], grid_0: 1 } })
    expect(await stored(world, survey, first)).toEqual(row)
    expect(await counts(world, survey)).toEqual({ rows: 2, feed: 2, collectors: 2 })
    expect(await reports()).toBe(1)
    expect((await ann.get(`${uri}changes/?since=${since}`)).body.results).toMatchObject([
      { kind: 'created', response_id: first },
    ])
    expect((await trash()).count).toBe(0)
    expect((await ann.post(`${uri}trash/${first}/`)).body.code).toBe('response_not_found')
    expect(await history(first)).toMatchObject([
      { kind: 'restored', by: me(), changes: [] },
      { kind: 'deleted', by: me(), changes: [] },
    ])
  })

  test('gives back the slots of quotas', async () => {
    await pool().query('insert into response_quota (survey_id, response_id, quota) values ($1, $2, $3), ($1, $2, $4)', [
      survey,
      first,
      'men',
      'women',
    ])
    const slots = async () =>
      (await pool().query('select quota from response_quota where survey_id = $1 order by quota', [survey])).rows
    await ann.delete(`${uri}${first}/`)
    expect(await slots()).toEqual([])
    await ann.post(`${uri}trash/${first}/`)
    expect(await slots()).toEqual([{ quota: 'men' }, { quota: 'women' }])
  })

  test('refuses if the recipient of the invitation has responded again, and keeps the response in the trash', async () => {
    const invited = await respond(world, survey, { inviteCode: 'abc', inviteEmail: 'eve@example.org' })
    await ann.delete(`${uri}${invited.id}/`)
    await respond(world, survey, { inviteCode: 'abc', inviteEmail: 'eve@example.org' })
    const reply = await ann.post(`${uri}trash/${invited.id}/`)
    expect([reply.status, reply.body.code]).toEqual([409, 'invite_used'])
    expect((await trash()).results).toMatchObject([{ response_id: invited.id }])
  })

  test('refuses if a program has sent a response with the same key again', async () => {
    const key = 'ab'.repeat(20)
    const { body } = await ann.post(uri, { json: { q1: 1, _key: key } })
    await ann.delete(`${uri}${body.id}/`)
    expect((await ann.post(uri, { json: { q1: 0, _key: key } })).status).toBe(201)
    const reply = await ann.post(`${uri}trash/${body.id}/`)
    expect([reply.status, reply.body.code]).toEqual([409, 'invite_used'])
    expect(reply.body.detail).toContain('the same key')
    expect((await trash()).results).toMatchObject([{ response_id: body.id }])
  })

  test('restores a row from before a column was added', async () => {
    await ann.delete(`${uri}${first}/`)
    await pool().query(
      `update response_revision set before = before #- '{row,invite_once}' #- '{row,saves}' where survey_id = $1`,
      [survey],
    )
    expect((await ann.post(`${uri}trash/${first}/`)).status).toBe(201)
    expect(await stored(world, survey, first)).toMatchObject({ saves: 1, invite_once: true })
  })
})

describe('the erasure of deleted responses', () => {
  const revisions = async () =>
    Number((await pool().query('select count(*) from response_revision where survey_id = $1', [survey])).rows[0].count)

  test('eraseResponse erases one with its history, and emptyTrash the others', async () => {
    await ann.put(`${uri}${first}/`, { json: { q3: 'Changed' } })
    for (const id of [first, second]) await ann.delete(`${uri}${id}/`)
    expect((await ann.delete(`${uri}trash/${first}/`)).body).toBe('OK')
    expect((await ann.delete(`${uri}trash/${first}/`)).body.code).toBe('response_not_found')
    expect((await trash()).results).toMatchObject([{ response_id: second }])
    expect((await ann.delete(`${uri}trash/`)).body).toEqual({ erased: 1 })
    expect((await ann.delete(`${uri}trash/`)).body).toEqual({ erased: 0 })
    expect(await revisions()).toBe(0)
  })

  test('happens after 30 days, not before, and keeps the history of responses that exist', async () => {
    await ann.put(`${uri}${second}/`, { json: { q3: 'Changed' } })
    await ann.delete(`${uri}${first}/`)
    advance(30 * 86_400 - 1)
    await purge()
    expect((await trash()).count).toBe(1)
    advance(2)
    await purge()
    expect((await trash()).count).toBe(0)
    expect(await revisions()).toBe(1)
  })

  test('comes with the deletion of the survey', async () => {
    await ann.delete(`${uri}${first}/`)
    await eraseSurvey(ann, survey)
    expect(await revisions()).toBe(0)
  })
})

describe('the identity of respondents in the trash', () => {
  const person = { inviteEmail: 'Mia@example.org', inviteName: 'Eve', inviteCode: 'abc', username: 'eve' }
  const rowInTrash = async () =>
    (await pool().query(`select before->'row' as row from response_revision where survey_id = $1`, [survey])).rows[0]
      .row

  test('is erased with the contact', async () => {
    const { id } = await respond(world, survey, person)
    await ann.delete(`${uri}${id}/`)
    const contact = (await ann.post('/api/v3/contacts/', { json: { name: 'Mia', email: 'mia@example.org' } })).body.id
    const receipt = await ann.post(`/api/v3/contacts/${contact}/erase/`)
    expect(receipt).toMatchObject({ body: { responses: 1 } })
    expect(await rowInTrash()).toMatchObject({ invite_email: null, invite_name: null, username: '', ip_address: '' })
  })

  test('is erased when the survey becomes anonymous, and times are truncated', async () => {
    const { id } = await respond(world, survey, { ...person, createdAt: '2026-03-01T09:31:12.345Z' })
    await ann.delete(`${uri}${id}/`)
    expect((await ann.put(`/api/v3/surveys/${survey}/settings/`, { json: { anonymous: true } })).status).toBe(200)
    expect(await rowInTrash()).toMatchObject({
      invite_email: null,
      invite_code: null,
      ip_address: '',
      created_at: '2026-03-01T09:00:00+00:00',
    })
    expect((await ann.post(`${uri}trash/${id}/`)).body).toMatchObject({ _created_at: '2026-03-01T09:00:00' })
  })
})

describe('listResponseHistory', () => {
  test('names each changed value, before and after, with who changed it and why', async () => {
    await ann.put(`${uri}${first}/?reason=${encodeURIComponent('She called')}`, {
      json: { q1: 0, q3: '', q4: true, grid_0: 1, _completed: 0 },
    })
    advance(60)
    await ann.put(`${uri}${first}/`, { json: { q1: 2, q3: 'Tea' } })
    await ann.put(`${uri}${first}/`, { json: { q1: 2 } })
    expect(await history(first)).toEqual([
      {
        kind: 'edited',
        at: expect.any(String),
        by: me(),
        by_respondent: false,
        reason: null,
        changes: [
          { key: 'q1', before: 0, after: 2 },
          { key: 'q3', before: null, after: 'Tea' },
        ],
      },
      {
        kind: 'edited',
        at: expect.any(String),
        by: me(),
        by_respondent: false,
        reason: 'She called',
        changes: expect.arrayContaining([
          { key: 'q1', before: 1, after: 0 },
          { key: 'q3', before: 'Fine', after: null },
          { key: 'q4', before: null, after: true },
          { key: '_completed', before: 1, after: 0 },
        ]),
      },
    ])
    expect((await history(first))[1].changes).toHaveLength(4)
    expect(await history(second)).toEqual([])
  })

  test('keeps the meaning of an answer when choices move', async () => {
    await ann.put(`${uri}${first}/`, { json: { q2: [1] } })
    const { body: structure } = await ann.get(`/api/v3/surveys/${survey}/structure/`)
    const question = structure.form[0].children.find(({ id }: { id: string }) => id === 'q2')
    question.children[0].choices.reverse()
    expect((await ann.put(`/api/v3/surveys/${survey}/structure/`, { json: structure })).status).toBe(200)
    expect(await history(first)).toMatchObject([{ changes: [{ key: 'q2', before: [0, 2], after: [1] }] }])
  })

  test('rejects a reason that is too long', async () => {
    const reply = await ann.put(`${uri}${first}/?reason=${'a'.repeat(501)}`, { json: { q1: 0 } })
    expect([reply.status, reply.body.errors[0].field]).toEqual([400, 'reason'])
    expect((await ann.get(`${uri}${first}/`)).body.q1).toBe(1)
  })
})
