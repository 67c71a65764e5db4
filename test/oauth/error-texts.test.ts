import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import {
  authorizePath,
  codeFor,
  exchangeCode,
  minimalQuery,
  type RegisteredApp,
  refresh,
  registerApp,
  requestToken,
  tokensFor,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
let other: RegisteredApp
let browser: HttpBrowser
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world)
  other = await registerApp(world)
  browser = await signInAs(ann)
})

const code = { grant_type: 'authorization_code', code: 'x' }
const token = { grant_type: 'refresh_token', refresh_token: 'x' }
const wrongClient = 'The client ID or the client secret is missing or wrong'
const noCredentials = 'Invalid client: cannot retrieve client credentials'
const wrongGrantType = 'grant_type must be authorization_code or refresh_token'
const wrongScope = 'The scopes are read and write; a request cannot exceed the granted scopes'

test.each<[Record<string, string>, string, string]>([
  [{}, 'invalid_request', "Missing parameter: 'grant_type'"],
  [{ client_secret: '' }, 'invalid_client', noCredentials],
  [{ client_secret: 'é' }, 'invalid_request', "Invalid parameter: 'client_secret'"],
  [{ client_id: 'é' }, 'invalid_request', "Invalid parameter: 'client_id'"],
  [{ client_id: 'é', client_secret: '', ...code }, 'invalid_request', "Invalid parameter: 'client_id'"],
  [{ client_secret: 'wrong' }, 'invalid_client', wrongClient],
  [{ client_secret: '', ...code }, 'invalid_client', wrongClient],
  [{ client_id: 'unknown', ...code }, 'invalid_client', wrongClient],
  [{ grant_type: 'password', client_secret: 'wrong' }, 'unsupported_grant_type', wrongGrantType],
  [{ grant_type: 'Refresh_token' }, 'unsupported_grant_type', wrongGrantType],
  [{ grant_type: 'authorization_code' }, 'invalid_request', "Missing parameter: 'code'"],
  [{ ...code, code: 'é' }, 'invalid_request', "Invalid parameter: 'code'"],
  [code, 'invalid_grant', 'Invalid grant: authorization code is invalid'],
  [{ grant_type: 'refresh_token' }, 'invalid_request', "Missing parameter: 'refresh_token'"],
  [{ ...token, refresh_token: 'x\n' }, 'invalid_request', "Invalid parameter: 'refresh_token'"],
  [token, 'invalid_grant', 'Invalid grant: refresh token is invalid'],
])('the token endpoint answers %j with %s, %s', async (form, error, error_description) => {
  const { status, body } = await requestToken(world, app, form)
  expect([status, body]).toEqual([400, { error, error_description }])
})

test('each reason for which a code is refused has its text', async () => {
  const failed = async (error_description: string, form: Record<string, string>, pkce = {}, client = app) => {
    const reply = await exchangeCode(world, client, await codeFor(app, ann, pkce), form)
    expect([reply.status, reply.body]).toEqual([400, { error: 'invalid_grant', error_description }])
  }
  const S256 = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
  await failed('redirect_uri differs from the authorization request', { redirect_uri: 'https://app.example/' })
  await failed('The authorization request had no code_challenge', { code_verifier: 'v'.repeat(43) })
  await failed('code_verifier is missing', {}, S256)
  await failed('code_verifier does not match the code_challenge', { code_verifier: 'v'.repeat(43) }, S256)
  await failed('Invalid grant: authorization code is invalid', {}, {}, other)
  const used = await codeFor(app, ann)
  expect((await exchangeCode(world, app, used)).status).toBe(200)
  expect((await exchangeCode(world, app, used)).body).toEqual({
    error: 'invalid_grant',
    error_description: 'Invalid grant: authorization code is invalid',
  })
})

test.each(['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)}+`])(
  'the verifier %s is not one of RFC 7636',
  async (code_verifier) => {
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const code = await codeFor(app, ann, { code_challenge, code_challenge_method: 'S256' })
    const { status, body } = await exchangeCode(world, app, code, { code_verifier })
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: "Invalid parameter: 'code_verifier'" },
    ])
  },
)

test('each reason for which a refresh token is refused has its text', async () => {
  const { refresh_token } = await tokensFor(world, app, ann, 'read')
  const failed = async (error: string, error_description: string, form: Record<string, string>, client = app) => {
    const reply = await refresh(world, client, refresh_token, form)
    expect([reply.status, reply.body]).toEqual([400, { error, error_description }])
  }
  await failed('invalid_scope', wrongScope, { scope: 'read write' })
  await failed('invalid_scope', wrongScope, { scope: 'read ' })
  await failed('invalid_grant', 'Invalid grant: refresh token was issued to another client', {}, other)
  const start = world.now
  world.now = new Date(start.getTime() + 181 * 86_400_000)
  await failed('invalid_grant', 'Invalid grant: refresh token is invalid or could not be revoked', {})
  world.now = start
  const wide = await tokensFor(world, app, ann)
  const { body } = await refresh(world, app, wide.refresh_token, { scope: 'write read write' })
  expect(body.scope).toBe('write read write')
  expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'])
  expect(body.access_token).toMatch(/^[\da-f]{64}$/)
})

test.each<[Record<string, string>, string, string]>([
  [{ response_type: '' }, 'invalid_request', "Missing parameter: 'response_type'"],
  [
    { response_type: 'token' },
    'unsupported_response_type',
    "Unsupported response type: 'response_type' is not supported",
  ],
  [{ response_type: 'x', state: 'é' }, 'invalid_request', "Invalid parameter: 'state'"],
  [{ scope: ' ' }, 'invalid_scope', wrongScope],
  [{ scope: 'read\twrite' }, 'invalid_scope', wrongScope],
])('the authorization endpoint answers %j with %s, %s', async (query, error, error_description) => {
  const { to } = await browser.get(authorizePath({ ...minimalQuery(app), ...query }))
  const { iss, state, ...reply } = Object.fromEntries(new URL(to!).searchParams)
  expect(reply).toEqual({ error, error_description })
})
