import { beforeAll, describe, expect, test } from '@jest/globals'
import { type RegisteredApp, registerApp, statusWithToken, tokensFor } from '../../support/oauth.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world)
})

describe('an access token at version 2', () => {
  test('gives access as its user', async () => {
    const { access_token } = await tokensFor(world, app, ann)
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await world.anonymous.get('/api/v2/me', { headers })).body.user.username).toBe(ann.actor.username)
  })

  test('returns 403 with code and description for a missing scope', async () => {
    const { access_token } = await tokensFor(world, app, ann, 'read')
    const headers = { authorization: `Bearer ${access_token}` }
    const reply = await world.anonymous.delete('/api/v2/surveys/1/', { headers })
    expect([reply.status, reply.body]).toEqual([403, { code: 'insufficient_scope', description: expect.any(String) }])
  })

  test('returns 401 if it is unknown or in the query', async () => {
    const { access_token } = await tokensFor(world, app, ann)
    expect(await statusWithToken(world, 'unknown', '/api/v2/me')).toBe(401)
    expect((await world.anonymous.get(`/api/v2/me?access_token=${access_token}`)).status).toBe(401)
  })
})
