import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  codeFor,
  exchangeCode,
  type RegisteredApp,
  refresh,
  registerApp,
  statusWithToken,
  tokensFor,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world)
})

const invalidGrant = { error: 'invalid_grant', error_description: expect.any(String) }
const countGrants = async () => (await world.em().getConnection().execute('select id from oauth_grant')).length

describe('an authorization code', () => {
  test('is rejected when it is used again, which also revokes its tokens', async () => {
    const code = await codeFor(app, ann)
    const { access_token, refresh_token } = (await exchangeCode(world, app, code)).body
    expect(await statusWithToken(world, access_token)).toBe(200)
    const reused = await exchangeCode(world, app, code)
    expect([reused.status, reused.body]).toEqual([400, invalidGrant])
    expect(await statusWithToken(world, access_token)).toBe(401)
    expect((await refresh(world, app, refresh_token)).body).toEqual(invalidGrant)
  })

  test('leaves other grants unchanged when reused', async () => {
    const other = await tokensFor(world, app, ann)
    const code = await codeFor(app, ann)
    await exchangeCode(world, app, code)
    await exchangeCode(world, app, code)
    expect(await statusWithToken(world, other.access_token)).toBe(200)
  })

  test('succeeds in only one of several concurrent requests, and its tokens are then revoked', async () => {
    const code = await codeFor(app, ann)
    const grantCount = await countGrants()
    const replies = await Promise.all(Array.from({ length: 8 }, () => exchangeCode(world, app, code)))
    const accepted = replies.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400).map(({ body }) => body)).toEqual(Array(7).fill(invalidGrant))
    expect(await statusWithToken(world, accepted[0]!.body.access_token)).toBe(401)
    expect(await countGrants()).toBe(grantCount - 1)
  })

  test('becomes invalid when a request contains a wrong code_verifier', async () => {
    const challenge = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' }
    const code = await codeFor(app, ann, challenge)
    expect((await exchangeCode(world, app, code, { code_verifier: 'v'.repeat(43) })).body).toEqual(invalidGrant)
    expect((await exchangeCode(world, app, code)).body).toEqual(invalidGrant)
  })
})

describe('a refresh token', () => {
  test('is rejected when reused, and the grant is revoked', async () => {
    const first = await tokensFor(world, app, ann)
    const second = (await refresh(world, app, first.refresh_token)).body
    expect(await statusWithToken(world, second.access_token)).toBe(200)
    const reused = await refresh(world, app, first.refresh_token)
    expect([reused.status, reused.body]).toEqual([400, invalidGrant])
    expect(await statusWithToken(world, second.access_token)).toBe(401)
    expect((await refresh(world, app, second.refresh_token)).body).toEqual(invalidGrant)
  })

  test('succeeds in only one of several concurrent requests, and the grant is then revoked', async () => {
    const { refresh_token } = await tokensFor(world, app, ann)
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(world, app, refresh_token)))
    const accepted = replies.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(7)
    expect(await statusWithToken(world, accepted[0]!.body.access_token)).toBe(401)
  })
})
