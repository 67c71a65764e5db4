import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann', email: 'ann@example.org' })
})

const user = () => ({
  id: ann.actor.id,
  username: 'ann',
  email: 'ann@example.org',
  plan: `${world.base}/api/v2/plan/standard/`,
  plan_name: 'standard',
  uri: `${world.base}/api/v2/users/${ann.actor.id}/`,
  resources: {},
})

describe('getCurrentUser', () => {
  test('an object with one member, user; without and with the last slash', async () => {
    expect((await ann.get('/api/v2/me')).body).toEqual({ user: user() })
    expect((await ann.get('/api/v2/me/')).body).toEqual({ user: user() })
  })

  test('a developer is a superuser', async () => {
    const developer = await world.person({ isDeveloper: true })
    expect((await developer.get('/api/v2/me')).body.user.resources).toEqual({ superuser: true })
  })
})

describe('getUser', () => {
  test('oneself, under users and user; others are missing', async () => {
    expect((await ann.get(user().uri)).body).toEqual(user())
    expect((await ann.get(`/api/v2/user/${ann.actor.id}/`)).body).toEqual(user())
    const bob = await world.person()
    expect(await bob.get(user().uri)).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
    expect((await ann.get('/api/v2/users/999999/')).status).toBe(404)
  })
})

describe('getPlan', () => {
  test('by name', async () => {
    const { status, body } = await ann.get(user().plan)
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'standard', uri: user().plan })
    expect(await ann.get('/api/v2/plan/golden/')).toMatchObject({ status: 404, body: { code: 'plan_not_found' } })
  })
})
