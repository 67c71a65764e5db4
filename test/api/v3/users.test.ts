import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann', email: 'ann@example.org', name: 'Ann Example' })
})

describe('getUser', () => {
  test('returns id, username, name, email and user_uri of the creator of a survey [spec 4.3]', async () => {
    const survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Mine' } })).body
    expect((await ann.get(survey.creator)).body).toEqual({
      id: ann.actor.id,
      username: 'ann',
      name: 'Ann Example',
      email: 'ann@example.org',
      user_uri: survey.creator,
    })
  })

  test('returns 404 for other accounts', async () => {
    const bob = await world.person()
    const uri = `/api/v3/users/${ann.actor.id}/`
    expect(await bob.get(uri)).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
  })
})

test('getCurrentUser returns the account of the credentials', async () => {
  const bob = await world.person({ username: 'bob' })
  expect((await bob.get('/api/v3/users/me/')).body).toEqual((await bob.get(`/api/v3/users/${bob.actor.id}/`)).body)
  expect((await world.anonymous.get('/api/v3/users/me/')).status).toBe(401)
})
