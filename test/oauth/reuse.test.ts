import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
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

  test('is used up only by a request that passes every check', async () => {
    const verifier = 'v'.repeat(43)
    const challenge = {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    const code = await codeFor(app, ann, challenge)
    for (const wrong of [
      { code_verifier: 'w'.repeat(43) },
      { code_verifier: 'short' },
      {},
      { code_verifier: verifier, redirect_uri: 'https://app.example/other' },
      { code_verifier: verifier, redirect_uri: `${app.callback}/` },
    ] as Record<string, string>[]) {
      const { status, body } = await exchangeCode(world, app, code, wrong)
      expect([wrong, status, body]).toEqual([wrong, 400, invalidGrant])
    }
    expect((await exchangeCode(world, { ...app, secret: 'wrong' }, code, { code_verifier: verifier })).status).toBe(400)
    const accepted = await exchangeCode(world, app, code, { code_verifier: verifier })
    expect(accepted.status).toBe(200)
    // A request that fails a check is not a second use either.
    expect((await exchangeCode(world, app, code, { code_verifier: 'w'.repeat(43) })).status).toBe(400)
    expect(await statusWithToken(world, accepted.body.access_token)).toBe(200)
    expect((await exchangeCode(world, app, code, { code_verifier: verifier })).status).toBe(400)
    expect(await statusWithToken(world, accepted.body.access_token)).toBe(401)
  })

  test('without a challenge is not used up by a request with a verifier', async () => {
    const code = await codeFor(app, ann)
    expect((await exchangeCode(world, app, code, { code_verifier: 'v'.repeat(43) })).body).toEqual(invalidGrant)
    expect((await exchangeCode(world, app, code)).status).toBe(200)
  })
})

describe('a refresh token', () => {
  const startTime = world.now
  beforeEach(() => {
    world.now = startTime
  })
  const advanceClock = (seconds: number) => {
    world.now = new Date(world.now.getTime() + seconds * 1000)
  }

  test('gives the same client a further pair within a minute of its use', async () => {
    const first = await tokensFor(world, app, ann)
    const second = (await refresh(world, app, first.refresh_token)).body
    advanceClock(59)
    const third = await refresh(world, app, first.refresh_token)
    expect(third.status).toBe(200)
    expect(third.body.refresh_token).not.toBe(second.refresh_token)
    // Both pairs stay valid: neither process of the client disturbs the other.
    advanceClock(3600)
    expect(await statusWithToken(world, second.access_token)).toBe(200)
    expect(await statusWithToken(world, third.body.access_token)).toBe(200)
    expect((await refresh(world, app, second.refresh_token)).status).toBe(200)
    advanceClock(61)
    expect(await statusWithToken(world, second.access_token)).toBe(401)
    expect(await statusWithToken(world, third.body.access_token)).toBe(200)
    expect((await refresh(world, app, third.body.refresh_token)).status).toBe(200)
  })

  test('gives a further pair for the fewer scopes of the second request', async () => {
    const first = await tokensFor(world, app, ann)
    await refresh(world, app, first.refresh_token)
    expect((await refresh(world, app, first.refresh_token, { scope: 'read' })).body.scope).toBe('read')
  })

  test('is rejected when used again after a minute, and the grant is revoked', async () => {
    const first = await tokensFor(world, app, ann)
    const second = (await refresh(world, app, first.refresh_token)).body
    advanceClock(59)
    const third = (await refresh(world, app, first.refresh_token)).body
    // A repetition does not extend the minute.
    advanceClock(2)
    expect(await statusWithToken(world, second.access_token)).toBe(200)
    const reused = await refresh(world, app, first.refresh_token)
    expect([reused.status, reused.body]).toEqual([400, invalidGrant])
    for (const { access_token, refresh_token } of [second, third]) {
      expect(await statusWithToken(world, access_token)).toBe(401)
      expect((await refresh(world, app, refresh_token)).body).toEqual(invalidGrant)
    }
  })

  test('is rejected for another application at any time, and its grant stays', async () => {
    const first = await tokensFor(world, app, ann)
    const second = (await refresh(world, app, first.refresh_token)).body
    const other = await registerApp(world)
    for (const seconds of [0, 61]) {
      advanceClock(seconds)
      expect((await refresh(world, other, first.refresh_token)).body).toEqual(invalidGrant)
      expect(await statusWithToken(world, second.access_token)).toBe(200)
    }
  })

  test('succeeds in every one of several concurrent requests, and all pairs are valid', async () => {
    const { refresh_token } = await tokensFor(world, app, ann)
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(world, app, refresh_token)))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    advanceClock(61)
    for (const { body } of replies) {
      expect(await statusWithToken(world, body.access_token)).toBe(200)
      expect((await refresh(world, app, body.refresh_token)).status).toBe(200)
    }
  })
})
