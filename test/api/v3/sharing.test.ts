import { beforeAll, describe, expect, test } from '@jest/globals'
import { deleteGroup, removeMember } from '../../../src/domain/group/commands.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
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
  const id = await makeGroup(owner, name)
  if (roles !== undefined) await addMember(owner, id, bob, roles)
  return id
}
const groupsOf = (survey: number) => `/api/v3/surveys/${survey}/groups/`

/** Shares a survey of ann with a group in which bob has the given roles. */
async function shared(roles: string) {
  const survey = await makeSurvey(ann, ONE)
  const group = await newGroup(roles)
  await share(ann, survey, group)
  return { survey, group, uri: `/api/v3/surveys/${survey}/` }
}

const put = (survey: number, group: string | number) => ann.put(groupsOf(survey), { form: { group } })

describe('shareSurvey [spec 5.8]', () => {
  test('adds the space-delimited group IDs to the existing ones, each once', async () => {
    const survey = await makeSurvey(ann, ONE)
    const [a, b, c] = [await newGroup(), await newGroup(), await newGroup()]
    expect(await put(survey, `${a} ${b}`)).toMatchObject({ status: 200, body: 'OK' })
    expect(await put(survey, `${b} ${c}`)).toMatchObject({ status: 200, body: 'OK' })
    const { body } = await ann.get(groupsOf(survey))
    expect(body).toMatchObject({ count: 3, results: [{ id: a, name: 'Team', num_members: 0 }, { id: b }, { id: c }] })
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

describe('unshareSurvey [spec 5.8]', () => {
  test('accepts the group ID in the query or in the body', async () => {
    const survey = await makeSurvey(ann, ONE)
    const [a, b] = [await newGroup(), await newGroup()]
    await put(survey, `${a} ${b}`)
    expect((await ann.delete(`${groupsOf(survey)}?group=${a}`)).body).toBe('OK')
    expect((await ann.delete(groupsOf(survey), { form: { group: b } })).body).toBe('OK')
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

test('listSurveys returns a shared survey once to a member without a role, also with the parameter group [spec 5.4]', async () => {
  const { survey, group, uri } = await shared('')
  await put(survey, await newGroup('edit', 'Second'))
  const ids = async (query = '') =>
    (await bob.get(`/api/v3/surveys/${query}`)).body.results.map(({ id }: { id: number }) => id)
  expect((await ids()).filter((id: number) => id === survey)).toEqual([survey])
  expect(await ids(`?group=${group}`)).toEqual([survey])
  expect(await ids('?group=Second')).toEqual([survey])
  expect(await ids('?group=Third')).toEqual([])
  expect((await bob.get(uri)).body).toMatchObject({ id: survey, slug: expect.any(String) })
})

test('roles of several groups are combined [spec 3.5]', async () => {
  const { survey, uri } = await shared('edit')
  const update = () => bob.put(uri, { json: { name: 'Both', live: 0 } })
  expect((await update()).status).toBe(403)
  await put(survey, await newGroup('publish'))
  expect(await update()).toMatchObject({ status: 200, body: { name: 'Both', live: 0 } })
})

test('updateSurvey requires Publish to open or close a survey, Edit to change it, and both roles for a request that does both', async () => {
  const { uri, group } = await shared('publish')
  const settings = `${uri}settings/`
  expect((await bob.put(settings, { json: { live: 0 } })).status).toBe(200)
  expect((await bob.put(settings, { json: { live: 1, closed_message: 'x' } })).status).toBe(403)
  expect((await bob.put(uri, { json: { live: 0, name: 'x' } })).status).toBe(403)
  await addMember(ann, group, bob, 'edit')
  expect((await bob.put(settings, { json: { closed_message: 'x' } })).status).toBe(200)
  expect((await bob.put(settings, { json: { live: 0, closed_message: 'x' } })).status).toBe(403)
})

test('the role Test allows responses, also to a closed survey, but no edits', async () => {
  const { uri } = await shared('test')
  await ann.put(uri, { json: { live: 0 } })
  const { status, body } = await bob.post(`${uri}responses/`, { json: { a: 'x' } })
  expect(status).toBe(201)
  expect((await bob.put(`${uri}responses/${body.id}/`, { json: { a: 'y' } })).status).toBe(403)
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
  ['loses the role', ({ group }) => addMember(ann, group, bob, ''), 403],
  ['leaves the group', ({ group }) => ann.act((context) => removeMember(context, group, bob.actor.email)), 404],
  ['loses the group', ({ group }) => ann.act((context) => deleteGroup(context, group)), 404],
  ['loses the survey', ({ survey, group }) => ann.delete(`${groupsOf(survey)}?group=${group}`), 404],
] satisfies [string, (sharing: Awaited<ReturnType<typeof shared>>) => Promise<unknown>, number][])(
  'createResponse returns an error to a member who %s, although the survey is cached',
  async (_, revoke, status) => {
    const sharing = await shared('test')
    const respond = () => bob.post(`${sharing.uri}responses/`, { json: { a: 'x' } })
    expect((await respond()).status).toBe(201)
    await revoke(sharing)
    expect((await respond()).status).toBe(status)
    expect((await ann.get(`${sharing.uri}responses/`)).body.count).toBe(1)
  },
)

test('createResponse accepts a new role immediately, although the survey is cached', async () => {
  const { uri, group } = await shared('')
  const respond = () => bob.post(`${uri}responses/`, { json: { a: 'x' } })
  expect((await respond()).status).toBe(403)
  await addMember(ann, group, bob, 'analyze')
  expect((await respond()).status).toBe(201)
})
