import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../../support/http-browser.ts'
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

describe('getCurrentUser [spec 4.2]', () => {
  test('returns an object with the property user, with and without a trailing slash', async () => {
    expect((await ann.get('/api/v2/me')).body).toEqual({ user: user() })
    expect((await ann.get('/api/v2/me/')).body).toEqual({ user: user() })
  })

  test('marks a developer as superuser', async () => {
    const developer = await world.person({ isDeveloper: true })
    expect((await developer.get('/api/v2/me')).body.user.resources).toEqual({ superuser: true })
  })
})

describe('getUser [spec 4.1]', () => {
  test('returns the caller’s account at /users/ and /user/, and 404 for other accounts', async () => {
    expect((await ann.get(user().uri)).body).toEqual(user())
    expect((await ann.get(`/api/v2/user/${ann.actor.id}/`)).body).toEqual(user())
    const bob = await world.person()
    expect(await bob.get(user().uri)).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
    expect((await ann.get('/api/v2/users/999999/')).status).toBe(404)
  })
})

describe('getPlan [spec 4.2]', () => {
  test('returns the plan with its name', async () => {
    const { status, body } = await ann.get(user().plan)
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'standard', uri: user().plan })
    expect(await ann.get('/api/v2/plan/golden/')).toMatchObject({ status: 404, body: { code: 'plan_not_found' } })
  })
})

describe('createUser', () => {
  test('creates an account from a form, and generates a password that works [spec 4.2]', async () => {
    const developer = await world.person({ isDeveloper: true })
    const { status, body } = await developer.post('/api/v2/users/', { form: { email: 'Bob.Smith@example.org' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ username: 'bob.smith', email: 'Bob.Smith@example.org', resources: {} })
    expect(body.password).toMatch(/^\w{16}$/)
    const bob = world.anonymous.with('bob.smith', body.password)
    expect((await bob.get('/api/v2/me')).body.user.id).toBe(body.id)
  })

  test('stores a pasted address without outer spaces and format characters, and finds it when it is pasted again', async () => {
    const developer = await world.person({ isDeveloper: true })
    const form = { email: ' \u200bpasted@\u202aexample.org\u202c ', password: 'a long secret' }
    const { body } = await developer.post('/api/v2/users/', { form })
    expect(body.email).toBe('pasted@example.org')
    expect((await developer.post('/api/v2/users/', { form: { ...form, username: 'other' } })).body.code).toBe(
      'email_taken',
    )
    const browser = new HttpBrowser(world.base)
    expect(await browser.signIn('\u200bPasted@example.org ', form.password)).toMatchObject({
      status: 303,
      to: '/account/surveys/',
    })
  })

  test('returns a URL that the new user and the creating developer can read, and other developers cannot', async () => {
    const [developer, other] = [await world.person({ isDeveloper: true }), await world.person({ isDeveloper: true })]
    const { body } = await developer.post('/api/v2/users/', { form: { email: 'flo@example.org' } })
    const { password, ...user } = body
    expect(await developer.get(user.uri)).toMatchObject({ status: 200, body: user })
    expect((await developer.get(user.uri.replace('/users/', '/user/'))).body).toEqual(user)
    expect((await developer.get(`/api/v3/users/${user.id}/`)).body.email).toBe('flo@example.org')
    const flo = world.anonymous.with('flo', password)
    expect((await flo.get(user.uri)).body).toEqual(user)
    expect((await other.get(user.uri)).status).toBe(404)
    expect((await flo.get(user.uri.replace(/\d+\/$/, `${developer.actor.id}/`))).status).toBe(404)
  })

  test('stores the given password and username and does not return them [spec 4.2]', async () => {
    const developer = await world.person({ isDeveloper: true })
    const json = { email: 'cy@example.org', username: 'Cyrus', password: 'a long enough one' }
    const { body } = await developer.post('/api/v2/users/', { json })
    expect(body).toMatchObject({ username: 'Cyrus' })
    expect(body).not.toHaveProperty('password')
    expect((await world.anonymous.with('cyrus', json.password).get('/api/v2/me')).status).toBe(200)
  })

  test('appends a number if the derived username exists, and returns 409 if the given email address or username exists', async () => {
    const developer = await world.person({ isDeveloper: true })
    for (const [email, username] of [
      ['dora@example.org', 'dora'],
      ['dora@example.net', 'dora-2'],
      ['DORA@example.com', 'dora-3'],
      ['été@example.com', 'ete'],
      ['+++@example.com', 'user'],
    ] as const)
      expect((await developer.post('/api/v2/users/', { form: { email } })).body.username).toBe(username)
    const again = { email: 'Dora@example.org' }
    expect(await developer.post('/api/v2/users/', { form: again })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
    const named = { email: 'new@example.org', username: 'DORA' }
    expect(await developer.post('/api/v2/users/', { form: named })).toMatchObject({
      status: 409,
      body: { code: 'username_taken' },
    })
  })

  test('requires a developer account, an email address and a password of eight characters', async () => {
    const form = { email: 'eve@example.org' }
    expect(await ann.post('/api/v2/users/', { form })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const developer = await world.person({ isDeveloper: true })
    expect((await developer.post('/api/v2/users/', { form: { email: 'eve' } })).status).toBe(400)
    expect((await developer.post('/api/v2/users/', { form: {} })).status).toBe(400)
    expect((await developer.post('/api/v2/users/', { form: { ...form, password: 'short' } })).status).toBe(400)
  })
})

describe('generateLoginUrl', () => {
  const url = '/api/v2/accounts/generate-login-url/'
  let developer: Person
  beforeAll(async () => {
    developer = await world.person({ isDeveloper: true })
  })

  test.each(['username', 'email'] as const)(
    'returns the properties in the specification for an account identified by %s [spec 3.4, 4.2]',
    async (member) => {
      const form = { key: developer.apiKey, [member]: ann.actor[member], password: ann.password }
      const { status, body } = await world.anonymous.post(url, { form })
      expect(status).toBe(200)
      expect(body).toEqual({
        success: true,
        user_id: ann.actor.id,
        username: 'ann',
        email: 'ann@example.org',
        'login-url': expect.stringMatching(/\/accounts\/login\/\?key=[\w-]{43}$/),
      })
      expect(new URL(body['login-url']).origin).toBe(world.base)
    },
  )

  test.each<[string, Record<string, string>]>([
    ['no password', { password: '' }],
    ['a wrong password', { password: 'wrong' }],
    ['an unknown username', { username: 'nobody' }],
    ['an invalid key', { key: 'wrong' }],
  ])('returns 401 with success false, code and description for %s [spec 4.2]', async (_, invalid) => {
    const form = { key: developer.apiKey, username: 'ann', password: ann.password, ...invalid }
    expect(await world.anonymous.post(url, { form })).toMatchObject({
      status: 401,
      body: { success: false, code: 'not_authorized', description: expect.any(String) },
    })
  })

  test("returns 401 for a key that is not a developer's, and for a username and an email address of different accounts", async () => {
    const form = { key: ann.apiKey, username: 'ann', password: ann.password }
    expect((await world.anonymous.post(url, { form })).status).toBe(401)
    const two = { ...form, key: developer.apiKey, email: developer.actor.email }
    expect((await world.anonymous.post(url, { form: two })).status).toBe(401)
  })

  test('returns 400 when no account is named', async () => {
    const form = { key: developer.apiKey, password: 'x' }
    expect(await world.anonymous.post(url, { form })).toMatchObject({ status: 400, body: { success: false } })
  })

  test('returns 413 for a body larger than 64 KB', async () => {
    const reply = await world.anonymous.post(url, { json: { key: 'x'.repeat(64 * 1024) } })
    expect([reply.status, reply.body]).toEqual([
      413,
      expect.objectContaining({ code: 'body_too_large', description: 'The body is larger than 64 KB.' }),
    ])
  })
})
