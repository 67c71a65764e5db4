import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let cleo: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob', name: 'Bob Builder', email: 'Bob@example.org' })
  cleo = await world.person({ username: 'cleo' })
})

const newGroup = async (name = 'Research') => (await ann.post('/api/v2/groups/', { form: { name } })).body.id as number

/** Both prefixes have the same operations. */
const prefixes = [
  ['', '/api/v2/groups/'],
  ['Alias', '/api/v2/accounts/groups/'],
] as const

describe.each(prefixes)('createGroup%s [spec 4.4]', (_, root) => {
  test('returns a summary without members [spec 4.5]', async () => {
    const { status, body } = await ann.post(root, { form: { name: 'Forschung2' } })
    expect(status).toBe(200)
    const group_uri = `${world.base}/api/v2/groups/${body.id}/`
    expect(body).toEqual({ id: expect.any(Number), name: 'Forschung2', group_uri, num_members: 0 })
  })

  test.each(['Team A', 'a-b', 'x!', ' ', ''])(
    'returns 400 for the name %j, which is not alphanumeric [spec 4.5]',
    async (name) => {
      const reply = await ann.post(root, { json: { name } })
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
      expect(reply.body.description).toMatch(/^name: /)
    },
  )

  test('returns 400 without a name and 401 without credentials', async () => {
    expect(await ann.post(root, { form: {} })).toMatchObject({ status: 400 })
    expect(await world.anonymous.post(root, { form: { name: 'Team' } })).toMatchObject({ status: 401 })
  })
})

describe.each(prefixes)('listGroups%s [spec 4.5]', (_, root) => {
  test('returns count and groups, for owners and for members', async () => {
    const dan = await world.person()
    expect((await dan.get(root)).body).toEqual({ count: 0, groups: [] })
    const { id } = (await dan.post(root, { form: { name: 'Mine' } })).body
    const other = await newGroup()
    await ann.put(`/api/v2/groups/${other}/members/`, { form: { email: dan.actor.email } })
    const { body } = await dan.get(root)
    expect(body).toMatchObject({
      count: 2,
      groups: [
        { id, num_members: 0 },
        { id: other, num_members: 1 },
      ],
    })
  })
})

describe.each(prefixes)('getGroup%s [spec 4.4, 4.5]', (_, root) => {
  test('returns the summary, surveys, polls and members to the owner and to members', async () => {
    const id = await newGroup()
    await ann.put(`${root}${id}/members/`, { form: { email: 'bob@example.org', roles: 'test edit' } })
    const details = {
      id,
      name: 'Research',
      group_uri: `${world.base}/api/v2/groups/${id}/`,
      num_members: 1,
      surveys: [],
      polls: [],
      members: [
        {
          id: bob.actor.id,
          user_uri: `${world.base}/api/v2/users/${bob.actor.id}/`,
          name: 'Bob Builder',
          email: 'Bob@example.org',
          roles: ['Edit', 'Test'],
        },
      ],
    }
    expect((await ann.get(`${root}${id}/`)).body).toEqual(details)
    expect((await bob.get(`${root}${id}/`)).body).toEqual(details)
    expect(await cleo.get(`${root}${id}/`)).toMatchObject({ status: 404, body: { code: 'group_not_found' } })
  })
})

describe.each(prefixes)('renameGroup%s [spec 4.5]', (_, root) => {
  test('accepts only the parameter name and returns a group summary', async () => {
    const id = await newGroup()
    expect((await ann.put(`${root}${id}/`, { form: { name: 'Field7' } })).body).toMatchObject({ id, name: 'Field7' })
    expect(await ann.put(`${root}${id}/`, { form: { name: 'Field 7' } })).toMatchObject({ status: 400 })
    expect((await ann.get(`${root}${id}/`)).body.name).toBe('Field7')
  })
})

describe.each(prefixes)('deleteGroup%s [spec 4.5]', (_, root) => {
  test('returns success, after which the group is not found', async () => {
    const id = await newGroup()
    await ann.put(`${root}${id}/members/`, { form: { email: bob.actor.email } })
    expect(await ann.delete(`${root}${id}/`)).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.get(`${root}${id}/`)).status).toBe(404)
    expect((await ann.delete(`${root}${id}/`)).status).toBe(404)
  })
})

describe.each(prefixes)('setMember%s [spec 4.4]', (_, root) => {
  const path = (id: number) => `${root}${id}/members/`

  test('returns the member with the group, and the roles in the order of the specification [spec 3.5, 4.5]', async () => {
    const id = await newGroup()
    const roles = 'edit deploy analyze test publish'
    const { status, body } = await ann.put(path(id), { form: { email: 'BOB@example.org', roles } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: bob.actor.id, roles: ['Edit', 'Test', 'Publish', 'Deploy', 'Analyze'] })
    expect(body.group).toMatchObject({ id, name: 'Research', num_members: 1 })
  })

  test('replaces the roles when it is called again, and keeps them when roles is omitted [spec 4.5]', async () => {
    const id = await newGroup()
    const put = async (form: { email: string; roles?: string }) => (await ann.put(path(id), { form })).body.roles
    const { email } = bob.actor
    expect(await put({ email })).toEqual([])
    expect(await put({ email, roles: 'Edit EDIT  publish' })).toEqual(['Edit', 'Publish'])
    expect(await put({ email })).toEqual(['Edit', 'Publish'])
    expect(await put({ email, roles: '' })).toEqual([])
    expect((await ann.get(path(id))).body.num_members).toBe(1)
  })

  test('rejects an unknown email address, an unknown role and a missing email address', async () => {
    const id = await newGroup()
    const put = (form: Record<string, string>) => ann.put(path(id), { form })
    expect(await put({ email: 'none@example.org' })).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
    expect(await put({ email: 'bob' })).toMatchObject({ status: 400 })
    const invalid = await put({ email: bob.actor.email, roles: 'edit boss' })
    expect(invalid).toMatchObject({ status: 400, body: { description: expect.stringContaining('boss') } })
    expect(await put({ roles: 'edit' })).toMatchObject({ status: 400 })
    expect((await ann.get(path(id))).body).toEqual({ num_members: 0, members: [] })
  })

  test('creates one member from ten concurrent requests for the same member', async () => {
    const id = await newGroup()
    const form = { email: bob.actor.email, roles: 'edit' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => ann.put(path(id), { form })))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await ann.get(path(id))).body.num_members).toBe(1)
  })
})

describe.each(prefixes)('listMembers%s [spec 4.5]', (_, root) => {
  test('returns num_members and members', async () => {
    const id = await newGroup()
    for (const { email } of [cleo.actor, bob.actor]) await ann.put(`${root}${id}/members/`, { form: { email } })
    const { body } = await ann.get(`${root}${id}/members/`)
    expect(body).toMatchObject({ num_members: 2, members: [{ id: bob.actor.id }, { id: cleo.actor.id }] })
    expect((await (await world.person()).get(`${root}${id}/members/`)).status).toBe(404)
  })
})

describe.each(prefixes)('removeMember%s [spec 4.5]', (_, root) => {
  test('accepts email in the body or in the query and returns 404 for an address that is not a member', async () => {
    const id = await newGroup()
    const path = `${root}${id}/members/`
    for (const { email } of [cleo.actor, bob.actor]) await ann.put(path, { form: { email } })
    const success = { status: 200, body: { success: true } }
    expect(await ann.delete(path, { form: { email: cleo.actor.email } })).toMatchObject(success)
    expect(await ann.delete(`${path}?email=${bob.actor.email}`)).toMatchObject(success)
    const again = await ann.delete(path, { form: { email: bob.actor.email } })
    expect(again).toMatchObject({ status: 404, body: { code: 'member_not_found' } })
    expect(await ann.delete(path)).toMatchObject({ status: 400 })
    expect((await bob.get(path)).status).toBe(404)
  })
})

test('group operations let a member read the group but not change it, and return 404 to other accounts', async () => {
  const id = await newGroup()
  const root = `/api/v2/groups/${id}/`
  await ann.put(`${root}members/`, { form: { email: bob.actor.email, roles: 'edit publish' } })
  const attempts = [
    (caller: Person) => caller.put(root, { form: { name: 'Other' } }),
    (caller: Person) => caller.delete(root),
    (caller: Person) => caller.put(`${root}members/`, { form: { email: bob.actor.email, roles: 'deploy' } }),
    (caller: Person) => caller.delete(`${root}members/`, { form: { email: bob.actor.email } }),
  ]
  for (const attempt of attempts) {
    expect(await attempt(bob)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await attempt(cleo)).toMatchObject({ status: 404, body: { code: 'group_not_found' } })
  }
  expect((await ann.get(root)).body).toMatchObject({ name: 'Research', members: [{ roles: ['Edit', 'Publish'] }] })
})
