import { describe, expect, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser, signInAsNewUser } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'
import { createLoginUrl } from './login-url.ts'

const world = useWorld()
const limited = useWorld({ settings: { RATE_LIMIT: 'on' } })
const PAGE = '/account/second-factor/'
const CODE = '/accounts/login/code/'
const textOf = (page: string) => unescapeHtml(page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))

const codeOf = (secret: string, at: Date) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() })
const later = (seconds: number, of = world) => {
  of.now = new Date(of.now.getTime() + seconds * 1000)
}

/** Turns the second factor of a new user on. */
async function protectedUser(of = world) {
  const { person, browser } = await signInAsNewUser(of)
  const secret = /id="secret">([A-Z2-7]{32})</.exec((await browser.get(PAGE)).text)![1]!
  const page = await browser.post(PAGE, { secret, code: codeOf(secret, of.now), current: person.password })
  const codes = /id="codes">([^<]+)</.exec(page.text)![1]!.trim().split('\n')
  later(30, of)
  return { person, browser, secret, codes }
}

/** Enters the password in a new browser. */
async function halfSignedIn(person: Person, next = '') {
  const browser = new HttpBrowser(person.base)
  const { username } = person.actor
  const reply = await browser.post('/accounts/login/', { username, password: person.password, ...(next && { next }) })
  return { browser, reply }
}

const isSignedIn = async (browser: HttpBrowser) => (await browser.get('/account/')).status === 200

describe('the second factor', () => {
  test('is turned on with a code of the app and the password, and gives ten recovery codes', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const other = new HttpBrowser(world.base)
    await other.signIn(person.actor.username, person.password)
    const secret = /id="secret">([A-Z2-7]{32})</.exec((await browser.get(PAGE)).text)![1]!
    const code = codeOf(secret, world.now)
    const wrong = await browser.post(PAGE, { secret, code: '000000', current: person.password })
    expect([wrong.status, wrong.text.includes(`value="${secret}"`)]).toEqual([422, true])
    expect((await browser.post(PAGE, { secret, code, current: 'wrong' })).status).toBe(422)
    const page = await browser.post(PAGE, { secret, code, current: person.password })
    expect(/id="codes">([^<]+)</.exec(page.text)![1]!.trim().split('\n')).toHaveLength(10)
    expect(await isSignedIn(other)).toBe(false)
    expect(textOf((await browser.get('/account/')).text)).toContain('On: after your password')
  })

  test('is asked after the password, and the requested page follows', async () => {
    const { person, secret } = await protectedUser()
    const { browser, reply } = await halfSignedIn(person, '/account/contacts/')
    expect(reply).toMatchObject({ status: 303, to: CODE })
    expect(await isSignedIn(browser)).toBe(false)
    expect((await browser.post(CODE, { code: '123456' })).status).toBe(401)
    expect(await browser.post(CODE, { code: codeOf(secret, world.now) })).toMatchObject({
      status: 303,
      to: '/account/contacts/',
    })
    expect(await isSignedIn(browser)).toBe(true)
    expect(textOf((await browser.get('/account/security/')).text)).toContain('Second factor turned on')
  })

  test.each([
    [-31, false],
    [-30, true],
    [0, true],
    [30, true],
    [60, false],
  ])('accepts a code of the moment %i seconds from now: %s', async (seconds, accepted) => {
    const { person, secret } = await protectedUser()
    later(30 - ((world.now.getTime() / 1000) % 30))
    later(30)
    const { browser } = await halfSignedIn(person)
    const code = codeOf(secret, new Date(world.now.getTime() + seconds * 1000))
    expect((await browser.post(CODE, { code })).status).toBe(accepted ? 303 : 401)
  })

  test('accepts each code once, also in two browsers at the same time, and none before a used one', async () => {
    const { person, secret } = await protectedUser()
    later(60)
    const [one, two] = [await halfSignedIn(person), await halfSignedIn(person)]
    const code = codeOf(secret, world.now)
    const replies = await Promise.all([one, two].map(({ browser }) => browser.post(CODE, { code })))
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 401])
    const third = await halfSignedIn(person)
    expect(
      (await third.browser.post(CODE, { code: codeOf(secret, new Date(world.now.getTime() - 30_000)) })).status,
    ).toBe(401)
  })

  test('accepts each recovery code once, with or without its hyphen', async () => {
    const { person, codes } = await protectedUser()
    const first = await halfSignedIn(person)
    expect((await first.browser.post(CODE, { code: codes[0]!.replace('-', ' ') })).status).toBe(303)
    expect(textOf((await first.browser.get(PAGE)).text)).toContain('You have 9 recovery codes left')
    const second = await halfSignedIn(person)
    expect((await second.browser.post(CODE, { code: codes[0]! })).status).toBe(401)
    expect((await second.browser.post(CODE, { code: codes[1]! })).status).toBe(303)
    await second.browser.get(PAGE)
    const page = await second.browser.post(`${PAGE}codes/`, { current: person.password })
    expect(page.text).toContain('id="codes"')
    expect((await (await halfSignedIn(person)).browser.post(CODE, { code: codes[2]! })).status).toBe(401)
  })

  test('expires after ten minutes, and with a change of the password', async () => {
    const { person, secret } = await protectedUser()
    const half = await halfSignedIn(person)
    later(601)
    expect(await half.browser.post(CODE, { code: codeOf(secret, world.now) })).toMatchObject({ to: '/accounts/login/' })
    const changed = await halfSignedIn(person)
    later(30)
    await world
      .em()
      .getConnection()
      .execute("update account set password_hash = password_hash || ' ' where id = ?", [person.actor.id])
    expect((await changed.browser.post(CODE, { code: codeOf(secret, world.now) })).status).toBe(401)
    expect(await isSignedIn(changed.browser)).toBe(false)
  })

  test('is asked after a login link too', async () => {
    const { person, secret } = await protectedUser()
    const url = await createLoginUrl(world, await world.person({ isDeveloper: true }), person)
    const browser = new HttpBrowser(world.base)
    expect(await browser.get(url)).toMatchObject({ status: 303, to: CODE })
    expect(await isSignedIn(browser)).toBe(false)
    expect((await browser.post(CODE, { code: codeOf(secret, world.now) })).status).toBe(303)
    expect((await new HttpBrowser(world.base).get(url)).status).toBe(410)
  })

  test('protects the API: the password alone is not enough, an API key is', async () => {
    const { person } = await protectedUser()
    const { username } = person.actor
    const reply = await world.anonymous.with(username, person.password).get('/api/v3/surveys/')
    expect([reply.status, reply.body.detail]).toEqual([401, expect.stringContaining('has a second factor')])
    expect((await world.anonymous.with(username, 'wrong').get('/api/v3/surveys/')).body.detail).toMatch(/^Invalid/)
    expect((await world.anonymous.with(username, person.apiKey).get('/api/v3/surveys/')).status).toBe(200)
    expect((await person.get('/api/v3/surveys/')).status).toBe(200)
  })

  test('is turned off with the password', async () => {
    const { person, browser } = await protectedUser()
    await browser.get(PAGE)
    expect((await browser.post(`${PAGE}off/`, { current: 'wrong' })).status).toBe(422)
    expect((await browser.post(`${PAGE}off/`, { current: person.password })).status).toBe(303)
    expect((await halfSignedIn(person)).reply.to).toBe('/account/surveys/')
  })

  test('cannot be guessed: attempts are limited as those with passwords', async () => {
    const { person, secret } = await protectedUser(limited)
    const { browser } = await halfSignedIn(person)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt += 1)
      statuses.push((await browser.post(CODE, { code: String(100_000 + attempt) })).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
    expect((await browser.post(CODE, { code: codeOf(secret, limited.now) })).status).toBe(429)
  })

  test('without a sign-in that has begun, its page leads to the start', async () => {
    const browser = new HttpBrowser(world.base)
    expect(await browser.get(CODE)).toMatchObject({ status: 303, to: '/accounts/login/' })
    expect(await browser.post(CODE, { code: '123456' })).toMatchObject({ status: 303, to: '/accounts/login/' })
  })
})

describe('with SECOND_FACTOR=required', () => {
  const strict = useWorld({ settings: { SECOND_FACTOR: 'required' } })

  test('users set one up before they see another page', async () => {
    const { person, browser } = await signInAsNewUser(strict)
    expect(await browser.get('/account/surveys/')).toMatchObject({ status: 303, to: PAGE })
    const page = await browser.get(PAGE)
    expect(textOf(page.text)).toContain('This server requires a second factor.')
    const secret = /id="secret">([A-Z2-7]{32})</.exec(page.text)![1]!
    await browser.post(PAGE, { secret, code: codeOf(secret, strict.now), current: person.password })
    expect((await browser.get('/account/surveys/')).status).toBe(200)
    expect((await browser.get(PAGE)).text).not.toContain(`${PAGE}off/`)
  })
})
