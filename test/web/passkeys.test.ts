import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { Authenticator, type Forgery } from '../support/authenticator.ts'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser, signInAs, signInAsNewUser } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld, type World } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ host: 'localhost', smtp: () => mailbox.url })
const PAGE = '/account/second-factor/'
const PASSKEYS = `${PAGE}passkeys/`
const SIGN_IN = '/accounts/login/passkey/'
const CODE = '/accounts/login/code/'
const textOf = (page: string) => unescapeHtml(page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))
const isSignedIn = async (browser: HttpBrowser) => (await browser.get('/account/')).status === 200
const optionsOf = async (browser: HttpBrowser, path: string) => JSON.parse((await browser.get(path)).text)
const later = (seconds: number, of = world) => {
  of.now = new Date(of.now.getTime() + seconds * 1000)
}

/** Adds a passkey on the page. @returns the reply to its last step */
async function add(
  browser: HttpBrowser,
  person: Person,
  authenticator: Authenticator,
  { name = 'Laptop', forgery = {} }: { name?: string; forgery?: Forgery } = {},
) {
  await browser.get(PAGE)
  expect((await browser.post(PASSKEYS, { name, current: person.password })).status).toBe(200)
  const credential = authenticator.create(await optionsOf(browser, `${PASSKEYS}new/`), forgery)
  return browser.post(`${PASSKEYS}new/`, { credential })
}

/** Creates a user with a passkey. */
async function passkeyUser(of: World = world) {
  const { person, browser } = await signInAsNewUser(of)
  const authenticator = new Authenticator(of.base)
  const page = await add(browser, person, authenticator)
  const codes = /id="codes">([^<]+)</.exec(page.text)![1]!.trim().split('\n')
  const id = /passkeys\/(\d+)\//.exec((await browser.get(PAGE)).text)![1]!
  return { person, browser, authenticator, codes, id }
}

/** Signs in with a passkey alone, in a new browser. */
async function signIn(authenticator: Authenticator, forgery: Forgery = {}, of: World = world) {
  const browser = new HttpBrowser(of.base)
  const credential = authenticator.get(await optionsOf(browser, SIGN_IN), forgery)
  const reply = await browser.post(SIGN_IN, { credential, next: '/account/groups/' })
  return { browser, reply, credential }
}

/** Enters the password in a new browser. */
async function halfSignedIn(person: Person) {
  const browser = new HttpBrowser(person.base)
  const reply = await browser.post('/accounts/login/', { username: person.actor.username, password: person.password })
  return { browser, reply }
}

describe('a passkey', () => {
  test('is added with a name and the password, gives recovery codes, and ends other sessions', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const other = await signInAs(person)
    await browser.get(PAGE)
    expect((await browser.post(PASSKEYS, { name: 'Laptop', current: 'wrong' })).status).toBe(422)
    expect((await browser.post(PASSKEYS, { name: ' ', current: person.password })).status).toBe(422)
    expect((await browser.post(PASSKEYS, { name: 'x'.repeat(61), current: person.password })).status).toBe(422)
    const page = await add(browser, person, new Authenticator(world.base), { name: 'Work <laptop>' })
    expect(/id="codes">([^<]+)</.exec(page.text)![1]!.trim().split('\n')).toHaveLength(10)
    expect(await isSignedIn(other)).toBe(false)
    expect((await browser.get(PAGE)).text).toContain('Work &lt;laptop&gt;')
    const second = await add(browser, person, new Authenticator(world.base), { name: 'Key' })
    expect(second).toMatchObject({ status: 303, to: PAGE })
    expect(textOf((await browser.get('/account/security/')).text)).toContain('Passkey added')
  })

  test('signs in without a password, keeps the requested page, and shows when it was used', async () => {
    const { authenticator } = await passkeyUser()
    const { browser, reply } = await signIn(authenticator)
    expect(reply).toMatchObject({ status: 303, to: '/account/groups/' })
    expect(await isSignedIn(browser)).toBe(true)
    expect(textOf((await browser.get(PAGE)).text)).toContain('last used')
    expect(textOf((await browser.get('/account/security/')).text)).toContain('Signed in with a passkey')
  })

  test('is asked after the password, also without user verification; a recovery code helps without it', async () => {
    const { person, authenticator, codes } = await passkeyUser()
    const { browser, reply } = await halfSignedIn(person)
    expect(reply.to).toBe(CODE)
    expect(textOf((await browser.get(CODE)).text)).toContain('Use your passkey')
    const options = await optionsOf(browser, `${CODE}passkey/`)
    expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id])
    const credential = authenticator.get(options, { isVerified: false, userHandle: null })
    expect(await browser.post(`${CODE}passkey/`, { credential })).toMatchObject({
      status: 303,
      to: '/account/surveys/',
    })
    expect(await isSignedIn(browser)).toBe(true)

    const second = await halfSignedIn(person)
    expect((await second.browser.post(CODE, { code: '123456' })).status).toBe(401)
    expect((await second.browser.post(CODE, { code: codes[0]! })).status).toBe(303)
    const api = await world.anonymous.with(person.actor.username, person.password).get('/api/v3/surveys/')
    expect(api.status).toBe(401)
  })

  test.each<[string, Forgery]>([
    ['of another origin', { origin: 'https://example.com' }],
    ['of another host', { rpId: 'example.com' }],
    ['of another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['for another act', { type: 'webauthn.create' }],
    ['without user verification', { isVerified: false }],
    ['without a person', { isPresent: false }],
    ['with a counter that is not greater', { counter: 1 }],
    ['of another user', { userHandle: Buffer.from('somebody else').toString('base64url') }],
    ['that names no user', { userHandle: null }],
    ['with an unknown credential', { id: Buffer.from('unknown').toString('base64url') }],
  ])('is refused with a reply %s', async (_, forgery) => {
    const { authenticator } = await passkeyUser()
    const { browser, reply } = await signIn(authenticator, forgery)
    expect([reply.status, await isSignedIn(browser)]).toEqual([401, false])
    expect((await signIn(authenticator)).reply.status).toBe(303)
  })

  test.each<[string, Forgery]>([
    ['of another origin', { origin: 'https://example.com' }],
    ['of another host', { rpId: 'example.com' }],
    ['of another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['for another act', { type: 'webauthn.get' }],
    ['with certificates, whose addresses would be opened', { certificates: true }],
  ])('is not added with a reply %s', async (_, forgery) => {
    const { person, browser } = await signInAsNewUser(world)
    const reply = await add(browser, person, new Authenticator(world.base), { forgery })
    expect([reply.status, textOf(reply.text)]).toEqual([422, expect.stringContaining('The passkey was not added')])
    expect((await browser.get(PAGE)).text).not.toContain('id="recovery"')
  })

  test('is refused with a challenge that was used, is old, or belongs to another browser or act', async () => {
    const { authenticator, person, browser: own } = await passkeyUser()
    const browser = new HttpBrowser(world.base)
    const options = await optionsOf(browser, SIGN_IN)
    const cookie = browser.cookies.get('passkey')!
    expect((await browser.post(SIGN_IN, { credential: authenticator.get(options) })).status).toBe(303)
    expect(browser.cookies.has('passkey')).toBe(false)
    const thief = new HttpBrowser(world.base)
    thief.cookies.set('passkey', cookie)
    expect((await thief.post(SIGN_IN, { credential: authenticator.get(options) })).status).toBe(401)
    expect((await new HttpBrowser(world.base).post(SIGN_IN, { credential: authenticator.get(options) })).status).toBe(
      401,
    )

    const late = new HttpBrowser(world.base)
    const credential = authenticator.get(await optionsOf(late, SIGN_IN))
    later(301)
    expect((await late.post(SIGN_IN, { credential })).status).toBe(401)

    const { browser: half } = await halfSignedIn(person)
    const forSignIn = authenticator.get(await optionsOf(half, SIGN_IN))
    expect((await half.post(`${CODE}passkey/`, { credential: forSignIn })).status).toBe(401)

    await own.get(PAGE)
    await own.post(PASSKEYS, { name: 'Phone', current: person.password })
    const another = await signInAsNewUser(world)
    another.browser.cookies.set('passkey', own.cookies.get('passkey')!)
    expect((await another.browser.get(`${PASSKEYS}new/`)).status).toBe(303)
    expect((await new HttpBrowser(world.base).get(`${CODE}passkey/`)).to).toBe('/accounts/login/')
  })

  test('of one account is no second factor of another, and replies that are no JSON are refused', async () => {
    const [one, two] = [await passkeyUser(), await passkeyUser()]
    const { browser } = await halfSignedIn(one.person)
    const credential = two.authenticator.get(await optionsOf(browser, `${CODE}passkey/`))
    expect((await browser.post(`${CODE}passkey/`, { credential })).status).toBe(401)
    for (const broken of ['', '{', 'null', '[]', '{"id":1}', `{"id":"${one.authenticator.id}"}`, 'x'.repeat(40_000)]) {
      await browser.get(SIGN_IN)
      expect((await browser.post(SIGN_IN, { credential: broken })).status).toBe(401)
    }
  })

  test('is not stored twice', async () => {
    const { person, browser, authenticator } = await passkeyUser()
    expect((await add(browser, person, authenticator)).status).toBe(422)
    const other = await signInAsNewUser(world)
    expect((await add(other.browser, other.person, authenticator)).status).toBe(422)
  })

  test('is renamed, and removed with the password; with the last one the second factor is off', async () => {
    const { person, browser, id, authenticator } = await passkeyUser()
    const stranger = await signInAsNewUser(world)
    for (const path of ['', 'remove/']) {
      const reply = await stranger.browser.post(`${PASSKEYS}${id}/${path}`, {
        name: 'Mine',
        current: stranger.person.password,
      })
      expect(reply.status).toBe(404)
    }
    expect((await stranger.browser.get(`${PASSKEYS}${id}/`)).status).toBe(404)
    await browser.get(`${PASSKEYS}${id}/`)
    expect((await browser.post(`${PASSKEYS}${id}/`, { name: 'Phone' })).status).toBe(303)
    expect((await browser.get(PAGE)).text).toContain('Phone')
    await browser.get(`${PASSKEYS}${id}/`)
    expect((await browser.post(`${PASSKEYS}${id}/remove/`, { current: 'wrong' })).status).toBe(422)
    expect((await browser.post(`${PASSKEYS}${id}/remove/`, { current: person.password })).status).toBe(303)
    expect((await signIn(authenticator)).reply.status).toBe(401)
    expect((await halfSignedIn(person)).reply.to).toBe('/account/surveys/')
  })

  test('and an app for codes are removed one after the other, and the owner reads each change in an email', async () => {
    const { person, browser, id, codes } = await passkeyUser()
    const half = await halfSignedIn(person)
    expect((await half.browser.post(CODE, { code: codes[0]! })).status).toBe(303)
    const secret = /id="secret">([A-Z2-7]{32})</.exec((await browser.get(PAGE)).text)![1]!
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.now.getTime() })
    expect((await browser.post(PAGE, { secret, code, current: person.password })).status).toBe(200)
    await browser.get(PAGE)
    expect((await browser.post(`${PAGE}off/`, { current: person.password })).status).toBe(303)
    expect((await halfSignedIn(person)).reply.to).toBe(CODE)
    await browser.get(PAGE)
    expect((await browser.post(`${PASSKEYS}${id}/remove/`, { current: person.password })).status).toBe(303)
    expect((await halfSignedIn(person)).reply.to).toBe('/account/surveys/')
    await world.runJobs()
    const messages = mailbox.sentTo(person.actor.email)
    expect(messages.map(({ headers }) => headers.subject).toSorted()).toEqual([
      'A passkey was added to your account',
      'A passkey was removed from your account',
      'A recovery code of your account was used',
      'The app for codes was removed from your account',
      'The second factor of your account was turned off',
      'The second factor of your account was turned on',
    ])
    const texts = messages.map(({ text }) => text).join()
    expect(texts).toContain(`“Laptop” was added to the account ${person.actor.username}`)
    expect(texts).toContain('Codes left: 9.')
    expect(texts).toContain(`${world.base}${PAGE}`)
    expect(texts).not.toMatch(/[{}]/)
  })

  test('is removed by an administrator with the second factor, and is part of the account export', async () => {
    const { person, authenticator, browser } = await passkeyUser()
    expect((await browser.get('/account/export/')).status).toBe(200)
    const admin = await world.person({ isAdministrator: true })
    const desk = await signInAs(admin)
    const path = `/administration/users/${person.actor.id}/second-factor/`
    await desk.get(path)
    expect((await desk.post(path, { current: admin.password, password: admin.password })).status).toBe(303)
    expect((await signIn(authenticator)).reply.status).toBe(401)
    expect((await halfSignedIn(person)).reply.to).toBe('/account/surveys/')
  })

  test('does not sign in a disabled account, and not from a form of another site', async () => {
    const { person, authenticator } = await passkeyUser()
    const browser = new HttpBrowser(world.base)
    const credential = authenticator.get(await optionsOf(browser, SIGN_IN))
    const foreign = await browser.post(SIGN_IN, { credential }, { origin: 'https://example.com' })
    expect([foreign.to, await isSignedIn(browser)]).toEqual(['/accounts/login/?next=%2Faccount%2Fsurveys%2F', false])
    await world.application.services.pool.query('update account set disabled_at = now() where id = $1', [
      person.actor.id,
    ])
    expect((await signIn(authenticator)).reply.status).toBe(401)
  })
})

describe('with SECOND_FACTOR=required', () => {
  const strict = useWorld({ host: 'localhost', settings: { SECOND_FACTOR: 'required' } })

  test('a passkey is enough, and the last factor cannot be removed', async () => {
    const { person, browser, id } = await passkeyUser(strict)
    expect((await browser.get('/account/surveys/')).status).toBe(200)
    await browser.get(`${PASSKEYS}${id}/`)
    const reply = await browser.post(`${PASSKEYS}${id}/remove/`, { current: person.password })
    expect(textOf(reply.text)).toContain('Add another one before you remove this one')
    expect((await browser.get(PAGE)).text).toContain(`passkeys/${id}/`)
  })
})

describe('with PASSWORD_SIGN_IN=off', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'canvass-oidc-')), 'providers.json')
  writeFileSync(file, '[{"id":"a","name":"A","issuer":"https://login.example.org","client_id":"a"}]')
  const noPasswords = useWorld({ host: 'localhost', settings: { PASSWORD_SIGN_IN: 'off', OIDC_PROVIDERS_FILE: file } })

  test('a passkey signs in developer accounts only', async () => {
    const developer = await noPasswords.person({ isDeveloper: true })
    const browser = await signInAs(developer)
    const authenticator = new Authenticator(noPasswords.base)
    await add(browser, developer, authenticator)
    expect((await signIn(authenticator, {}, noPasswords)).reply.status).toBe(303)
    await noPasswords.application.services.pool.query('update account set is_developer = false')
    expect((await signIn(authenticator, {}, noPasswords)).reply.status).toBe(401)
    expect((await new HttpBrowser(noPasswords.base).get('/accounts/login/')).text).not.toContain('data-passkey')
  })
})

describe('at an address without a name', () => {
  const numeric = useWorld()

  test('passkeys are not offered', async () => {
    const { browser } = await signInAsNewUser(numeric)
    expect((await browser.get(PAGE)).text).not.toContain('passkeys/')
    expect((await new HttpBrowser(numeric.base).get('/accounts/login/')).text).not.toContain('data-passkey')
  })
})
