import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})

const ONE = {
  title: 'One',
  form: [
    { type: 'page', children: [{ idname: 'text-response', id: 'a', title: 'a', children: [{ type: 'string' }] }] },
  ],
}

const newGroup = async (roles?: string, name = 'Team', owner = ann): Promise<number> => {
  const { id } = (await owner.post('/api/v2/groups/', { json: { name } })).body
  if (roles !== undefined) await owner.put(`/api/v2/groups/${id}/members/`, { json: { email: bob.actor.email, roles } })
  return id
}
const groupsOf = (survey: number) => `/api/v3/surveys/${survey}/groups/`

/** A survey of ann's that bob has with these roles. */
async function shared(roles: string) {
  const survey = await makeSurvey(ann, ONE)
  const group = await newGroup(roles)
  expect((await ann.put(groupsOf(survey), { json: { group } })).status).toBe(200)
  return { survey, group, uri: `/api/v3/surveys/${survey}/`, members: `/api/v2/groups/${group}/members/` }
}

const put = (survey: number, group: string | number) =>
  ann.put(`/api/v2/surveys/${survey}/groups/`, { form: { group } })

describe('shareSurvey', () => {
  test('adds the space-delimited group IDs to the existing ones, each once', async () => {
    const survey = await makeSurvey(ann, ONE)
    const [a, b, c] = [await newGroup(), await newGroup(), await newGroup()]
    expect(await put(survey, `${a} ${b}`)).toMatchObject({ status: 200, body: { success: true } })
    expect(await ann.put(groupsOf(survey), { form: { group: `${b} ${c}` } })).toMatchObject({ status: 200, body: 'OK' })
    const { body } = await ann.get(groupsOf(survey))
    expect(body).toMatchObject({ count: 3, results: [{ id: a, name: 'Team', num_members: 0 }, { id: b }, { id: c }] })
    expect((await ann.get(`/api/v2/groups/${a}/`)).body.surveys).toMatchObject([{ id: survey, name: 'One' }])
  })

  test('accepts all groups or none, and returns an error for an invalid ID', async () => {
    const survey = await makeSurvey(ann, ONE)
    const [mine, other] = [await newGroup(), await newGroup(undefined, 'Foreign', await world.person())]
    expect(await put(survey, `${mine} ${other}`)).toMatchObject({ status: 404, body: { code: 'group_not_found' } })
    expect(await put(survey, `${mine} x`)).toMatchObject({ status: 400 })
    expect(await put(survey, ' ')).toMatchObject({ status: 400 })
    expect((await ann.get(groupsOf(survey))).body.count).toBe(0)
  })
})

describe('unshareSurvey', () => {
  test('accepts the group ID in the query or in the body', async () => {
    const survey = await makeSurvey(ann, ONE)
    const [a, b] = [await newGroup(), await newGroup()]
    await put(survey, `${a} ${b}`)
    expect((await ann.delete(`${groupsOf(survey)}?group=${a}`)).body).toBe('OK')
    const v2 = await ann.delete(`/api/v2/surveys/${survey}/groups/`, { form: { group: b } })
    expect(v2).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.get(groupsOf(survey))).body.results).toEqual([])
    expect((await ann.delete(`${groupsOf(survey)}?group=${b}`)).status).toBe(404)
    expect((await ann.delete(groupsOf(survey))).status).toBe(400)
  })
})

describe('listSurveyGroups', () => {
  test('returns only the groups of the member', async () => {
    const { survey, group } = await shared('')
    await put(survey, await newGroup())
    expect((await ann.get(groupsOf(survey))).body.count).toBe(2)
    expect((await bob.get(groupsOf(survey))).body).toMatchObject({ count: 1, results: [{ id: group }] })
    expect((await (await world.person()).get(groupsOf(survey))).status).toBe(404)
  })
})

test('listSurveys returns a shared survey once to a member without a role, in both versions, also by group', async () => {
  const { survey, group, uri } = await shared('')
  await put(survey, await newGroup('edit', 'Second'))
  const ids = async (query = '') =>
    (await bob.get(`/api/v3/surveys/${query}`)).body.results.map(({ id }: { id: number }) => id)
  expect((await ids()).filter((id: number) => id === survey)).toEqual([survey])
  expect(await ids(`?group=${group}`)).toEqual([survey])
  expect(await ids('?group=Second')).toEqual([survey])
  expect(await ids('?group=Third')).toEqual([])
  const { surveys } = (await bob.get('/api/v2/surveys/')).body
  expect(surveys).toContainEqual(expect.objectContaining({ id: survey, creator: ann.actor.username }))
  expect((await bob.get(uri)).body).toMatchObject({ id: survey, slug: expect.any(String) })
})

test('roles of several groups are combined', async () => {
  const { survey, uri } = await shared('edit')
  const open = () => bob.put(uri, { json: { name: 'Both', live: 0 } })
  expect((await open()).status).toBe(403)
  await put(survey, await newGroup('publish'))
  expect(await open()).toMatchObject({ status: 200, body: { name: 'Both', live: 0 } })
})

test('updateSurvey requires Publish to open and close and Edit to change, also within one request', async () => {
  const { uri, members } = await shared('publish')
  const settings = `${uri}settings/`
  expect((await bob.put(settings, { json: { live: 0 } })).status).toBe(200)
  expect((await bob.put(settings, { json: { live: 1, closed_message: 'x' } })).status).toBe(403)
  expect((await bob.put(uri, { json: { live: 0, name: 'x' } })).status).toBe(403)
  await ann.put(members, { json: { email: bob.actor.email, roles: 'edit' } })
  expect((await bob.put(settings, { json: { closed_message: 'x' } })).status).toBe(200)
  expect((await bob.put(settings, { json: { live: 0, closed_message: 'x' } })).status).toBe(403)
})

test('the role Test allows responses, also to a closed survey, and neither edits nor imports', async () => {
  const { survey, uri } = await shared('test')
  await ann.put(uri, { json: { live: 0 } })
  const responses = `/api/v2/surveys/${survey}/responses/`
  expect((await bob.post(`${uri}responses/`, { json: { a: 'x' } })).status).toBe(201)
  const { results } = (await ann.get(`${uri}responses/`)).body
  const again = await bob.post(responses, { json: { _key: results[0]._key ?? '0'.repeat(40), a: 'y' } })
  expect(again.status).toBe(403)
  const csv = { body: 'a\r\nz\r\n', headers: { 'content-type': 'text/csv' } }
  expect((await bob.post(responses, csv)).status).toBe(403)
})

test('duplicateSurvey creates a survey of the calling account that is not shared', async () => {
  const { uri } = await shared('edit')
  const { body: copy } = await bob.post(`${uri}duplicate/`)
  expect(copy.creator).toBe(`${world.base}/api/v3/users/${bob.actor.id}/`)
  expect((await bob.get(copy.groups_uri)).body.count).toBe(0)
  expect((await ann.get(copy.survey_uri)).status).toBe(404)
  expect((await bob.delete(copy.survey_uri)).status).toBe(200)
})

test.each([
  ['loses the role', ({ members }) => ann.put(members, { json: { email: bob.actor.email, roles: '' } }), 403],
  ['leaves the group', ({ members }) => ann.delete(members, { json: { email: bob.actor.email } }), 404],
  ['loses the group', ({ group }) => ann.delete(`/api/v2/groups/${group}/`), 404],
  ['loses the survey', ({ survey, group }) => ann.delete(`${groupsOf(survey)}?group=${group}`), 404],
] satisfies [string, (has: Awaited<ReturnType<typeof shared>>) => Promise<unknown>, number][])(
  'createResponse returns an error to a member who %s, although the survey is cached',
  async (_, take, status) => {
    const has = await shared('test')
    const handIn = () => bob.post(`${has.uri}responses/`, { json: { a: 'x' } })
    expect((await handIn()).status).toBe(201)
    await take(has)
    expect((await handIn()).status).toBe(status)
    expect((await ann.get(`${has.uri}responses/`)).body.count).toBe(1)
  },
)

test('createResponse accepts a new role immediately, although the survey is cached', async () => {
  const { uri, members } = await shared('')
  const handIn = () => bob.post(`${uri}responses/`, { json: { a: 'x' } })
  expect((await handIn()).status).toBe(403)
  await ann.put(members, { json: { email: bob.actor.email, roles: 'analyze' } })
  expect((await handIn()).status).toBe(201)
})
