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

describe('an access token', () => {
  test('with the scope read can read but not write', async () => {
    const { access_token } = await tokensFor(world, app, ann, 'read')
    expect(await statusWithToken(world, access_token)).toBe(200)
    const reply = await world.anonymous.post('/api/v3/surveys/', { ...bearer(access_token), json: { name: 'Tea' } })
    expect([reply.status, reply.body.code]).toEqual([403, 'insufficient_scope'])
    expect(reply.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="write"')
    expect((await ann.get('/api/v3/surveys/')).body.count).toBe(0)
  })

  test('with the scope read cannot delete through X-HTTP-Method-Override', async () => {
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

  test('with the scope write can write but not read', async () => {
    const { access_token } = await tokensFor(world, app, ann, 'write')
    const created = await world.anonymous.post('/api/v3/surveys/', { ...bearer(access_token), json: { name: 'Tea' } })
    expect(created.status).toBe(201)
    const reply = await world.anonymous.get('/api/v3/surveys/', bearer(access_token))
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="read"',
    ])
  })

  test('gets 401 with a Bearer and a Basic challenge if it is unknown, malformed or missing', async () => {
    for (const authorization of ['Bearer unknown', 'Bearer', 'Bearer a b', 'bearer ü'.normalize(), 'Bearer "x"']) {
      const options = { headers: { authorization: Buffer.from(authorization).toString('latin1') } }
      const reply = await world.anonymous.get('/api/v3/', options)
      expect([reply.status, reply.body.code]).toEqual([401, 'invalid_token'])
      expect(reply.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="api", error="invalid_token", .*Basic realm="api"$/,
      )
    }
  })

  test('is ignored in the query', async () => {
    const { access_token } = await tokensFor(world, app, ann)
    expect((await world.anonymous.get(`/api/v3/?access_token=${access_token}`)).status).toBe(401)
  })

  test('is rejected when it has expired, even if it was cached', async () => {
    const { access_token, expires_in } = await tokensFor(world, app, ann)
    world.now = new Date(world.now.getTime() + expires_in * 1000 - 5000)
    expect(await statusWithToken(world, access_token)).toBe(200)
    world.now = new Date(world.now.getTime() + 5000)
    expect(await statusWithToken(world, access_token)).toBe(401)
  })

  test('cannot be replaced by a refresh token', async () => {
    expect(await statusWithToken(world, (await tokensFor(world, app, ann)).refresh_token)).toBe(401)
  })

  test('gives access only to surveys of its user', async () => {
    const bob = await world.person()
    const survey = await bob.post('/api/v3/surveys/', { json: { name: 'Of Bob' } })
    const { access_token } = await tokensFor(world, app, ann)
    expect(await statusWithToken(world, access_token, `/api/v3/surveys/${survey.body.id}/`)).toBe(404)
  })
})
