import { beforeAll, describe, expect, test } from '@jest/globals'
import { type RegisteredApp, registerApp, statusWithToken, tokensFor } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world)
})

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('a token for', () => {
  test('read can read but not write', async () => {
    const { access_token } = await tokensFor(world, app, ann, 'read')
    expect(await statusWithToken(world, access_token)).toBe(200)
    const v3 = await world.anonymous.post('/api/v3/surveys/', { ...bearer(access_token), json: { name: 'Tea' } })
    expect([v3.status, v3.body.code]).toEqual([403, 'insufficient_scope'])
    expect(v3.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="write"')
    const v2 = await world.anonymous.delete('/api/v2/surveys/1/', bearer(access_token))
    expect([v2.status, v2.body]).toEqual([403, { code: 'insufficient_scope', description: expect.any(String) }])
    expect((await ann.get('/api/v3/surveys/')).body.count).toBe(0)
  })

  test('read cannot delete through X-HTTP-Method-Override', async () => {
    const { access_token } = await tokensFor(world, app, ann, 'read')
    const { id } = (await ann.post('/api/v3/surveys/', { json: { name: 'Tea' } })).body
    const { headers } = bearer(access_token)
    const override = { headers: { ...headers, 'x-http-method-override': 'DELETE' } }
    const reply = await world.anonymous.post(`/api/v3/surveys/${id}/`, override)
    expect([reply.status, reply.body.code]).toEqual([403, 'insufficient_scope'])
    const { access_token: writing } = await tokensFor(world, app, ann, 'write')
    const allowed = { headers: { ...bearer(writing).headers, 'x-http-method-override': 'DELETE' } }
    expect((await world.anonymous.post(`/api/v3/surveys/${id}/`, allowed)).status).toBe(200)
    expect((await ann.get(`/api/v3/surveys/${id}/`)).status).toBe(404)
  })

  test('write can write but not read', async () => {
    const { access_token } = await tokensFor(world, app, ann, 'write')
    const made = await world.anonymous.post('/api/v3/surveys/', { ...bearer(access_token), json: { name: 'Tea' } })
    expect(made.status).toBe(201)
    const read = await world.anonymous.get('/api/v3/surveys/', bearer(access_token))
    expect([read.status, read.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="read"',
    ])
  })
})

describe('a token that is', () => {
  test('unknown, malformed or missing gets 401 with both challenges', async () => {
    for (const authorization of ['Bearer unknown', 'Bearer', 'Bearer a b', 'bearer ü'.normalize(), 'Bearer "x"']) {
      const sent = { headers: { authorization: Buffer.from(authorization).toString('latin1') } }
      const v3 = await world.anonymous.get('/api/v3/', sent)
      expect([v3.status, v3.body.code]).toEqual([401, 'invalid_token'])
      expect(v3.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="api", error="invalid_token", .*Basic realm="api"$/,
      )
      expect((await world.anonymous.get('/api/v2/me', sent)).body.code).toBe('invalid_token')
    }
  })

  test('in the query is ignored', async () => {
    const { access_token } = await tokensFor(world, app, ann)
    expect((await world.anonymous.get(`/api/v2/me?access_token=${access_token}`)).status).toBe(401)
  })

  test('expired is rejected, even if it was cached', async () => {
    const { access_token, expires_in } = await tokensFor(world, app, ann)
    world.now = new Date(world.now.getTime() + expires_in * 1000 - 5000)
    expect(await statusWithToken(world, access_token)).toBe(200)
    world.now = new Date(world.now.getTime() + 5000)
    expect(await statusWithToken(world, access_token)).toBe(401)
  })

  test('a refresh token is not accepted as access token', async () => {
    expect(await statusWithToken(world, (await tokensFor(world, app, ann)).refresh_token)).toBe(401)
  })
})

test('sees only what its user can see', async () => {
  const bob = await world.person()
  const survey = await bob.post('/api/v3/surveys/', { json: { name: 'His' } })
  const { access_token } = await tokensFor(world, app, ann)
  expect(await statusWithToken(world, access_token, `/api/v3/surveys/${survey.body.id}/`)).toBe(404)
})
