import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { authorizePath, minimalQuery, type RegisteredApp, registerApp } from '../support/oauth.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})
let app: RegisteredApp
let browser: HttpBrowser
beforeAll(async () => {
  const ann = await world.person()
  app = await registerApp(world, { name: '<script>alert(1)</script>' })
  browser = await signInAs(ann)
})

/** Texts that are often handled incorrectly. */
const texts = [
  '\0',
  'x\0',
  '\u{1F375}',
  '%',
  '%00',
  '%ZZ',
  "' or 1=1 --",
  '\\',
  '"',
  '[]',
  'x'.repeat(10_000),
  '\r\nx: y',
]
const parameters = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'allowed',
  '__proto__',
]

describe('invalid values', () => {
  test.each(parameters)('of %s lead to the consent page, a redirect or an error', async (name) => {
    for (const text of texts) {
      for (const client of [browser, new HttpBrowser(world.base)]) {
        const { status, to } = await client.get(authorizePath({ ...minimalQuery(app), [name]: text }))
        expect([name, text, [200, 303, 400].includes(status)]).toEqual([name, text, true])
        // Redirects go to the callback or to the sign-in page only.
        if (to) expect(to.startsWith(app.callback) || to.startsWith('/accounts/login/?next=')).toBe(true)
      }
    }
  })

  test.each([
    'grant_type',
    'code',
    'redirect_uri',
    'code_verifier',
    'refresh_token',
    'scope',
    'client_id',
    'client_secret',
    'token',
    '__proto__',
  ])(
    'of %s in a form or in JSON lead to success or to an error of RFC 6749',
    async (name) => {
      for (const grant_type of ['authorization_code', 'refresh_token'])
        for (const text of texts)
          for (const path of ['/accounts/oauth/token/', '/accounts/oauth/revoke/']) {
            const body = {
              grant_type,
              client_id: app.clientId,
              client_secret: app.secret,
              code: 'x',
              refresh_token: 'x',
              [name]: text,
            }
            for (const reply of [
              await world.anonymous.post(path, { form: body }),
              await world.anonymous.post(path, { json: body }),
            ]) {
              const isExpected =
                reply.status === 200 ||
                (reply.status === 400 && /^[a-z_]+$/.test(reply.body.error)) ||
                reply.status === 429
              expect([path, text, isExpected && reply.status]).toEqual([path, text, reply.status])
              if (reply.status !== 200) expect(reply.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
            }
          }
    },
    60_000,
  )

  test('of Basic credentials are rejected', async () => {
    for (const text of texts)
      for (const path of ['/accounts/oauth/token/', '/accounts/oauth/revoke/'])
        for (const client of [world.anonymous.with(text, app.secret), world.anonymous.with(app.clientId, text)]) {
          const { status, body } = await client.post(path, {
            form: { token: 'x', grant_type: 'refresh_token', refresh_token: 'x' },
          })
          expect([text, [400, 401, 429].includes(status), typeof body.error]).toEqual([text, true, 'string'])
        }
  })

  test('in JSON are rejected: bodies that are not objects, and properties that are not texts', async () => {
    for (const json of [[], 'x', 1, null, { grant_type: ['a', 'b'] }, { grant_type: { a: 1 } }, { code: 1 }])
      expect((await world.anonymous.post('/accounts/oauth/token/', { json })).body.error).toMatch(/^invalid_/)
  })
})

describe('the name of an application', () => {
  test('is escaped on the consent page', async () => {
    const { text } = await browser.get(authorizePath(minimalQuery(app)))
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).not.toContain('<script>alert')
  })
})
