import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { codeFor, type RegisteredApp, registerApp, statusWithToken } from '../support/oauth.ts'
import { sendRaw } from '../support/raw.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  app = await registerApp(world)
})

const path = '/accounts/oauth/token/'
const sampleForm = async (fields: Record<string, string> = {}) => ({
  client_id: app.clientId,
  client_secret: app.secret,
  code: await codeFor(app, ann),
  redirect_uri: app.callback,
  grant_type: 'authorization_code',
  ...fields,
})
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Posts a form with an Authorization header that `fetch` would normalise. */
async function post(authorization: string, form: Record<string, string>) {
  const body = String(new URLSearchParams(form))
  const { status, body: text } = await sendRaw(
    world.base,
    `POST ${path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return { status, body: JSON.parse(text) as { access_token?: string; error?: string } }
}

describe('a token request as in the original service’s sample, with the credentials of the user in the header', () => {
  test('returns a token that gives access to the API', async () => {
    const form = Object.entries(await sampleForm()).flatMap(([name, value]) => ['--data', `${name}=${value}`])
    const { stdout } = await promisify(execFile)('curl', [
      '-s',
      '-u',
      `ann:${ann.password}`,
      ...form,
      world.base + path,
    ])
    const { access_token } = JSON.parse(stdout)
    expect(await statusWithToken(world, access_token)).toBe(200)
  })

  test.each<[string, (person: Person) => string]>([
    ['username and password', ({ actor, password }) => basic(actor.username, password)],
    ['API key and password', ({ password }) => basic('0123456789abcdef', password)],
    ['a lower-case scheme', ({ actor, password }) => basic(actor.username, password).replace('Basic', 'basic')],
    ['an empty password', ({ actor }) => basic(actor.username, '')],
    ['invalid base64', () => 'Basic ?!'],
    ['a value without a colon', () => `Basic ${Buffer.from('ann').toString('base64')}`],
    ['the credentials of the client', () => basic(app.clientId, app.secret)],
  ])('ignores %s in the header', async (_, authorization) => {
    expect(await post(authorization(ann), await sampleForm())).toMatchObject({
      status: 200,
      body: { access_token: expect.any(String) },
    })
  })

  test.each([
    ['a wrong secret', () => 'wrong'],
    ['no secret', () => ''],
  ])('is rejected if the header has the client ID with %s', async (_, secret) => {
    expect(await post(basic(app.clientId, secret()), await sampleForm())).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  test('is rejected with a wrong secret in the form, even with a valid header', async () => {
    const form = await sampleForm({ client_secret: 'wrong' })
    expect((await post(basic('ann', ann.password), form)).body.error).toBe('invalid_client')
    expect((await post(basic(app.clientId, app.secret), form)).body.error).toBe('invalid_request')
  })

  test('requires client credentials in the header if the form has no secret', async () => {
    const form = await sampleForm({ client_secret: '' })
    expect((await post(basic('ann', ann.password), form)).body.error).toBe('invalid_request')
    expect((await post(basic(app.clientId, app.secret), form)).status).toBe(200)
  })
})
