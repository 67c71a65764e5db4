import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../src/domain/tables.ts'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { useOidcProvider } from '../support/oidc-provider.ts'
import { useWorld } from '../support/world.ts'

const oidc = useOidcProvider()
const file = join(mkdtempSync(join(tmpdir(), 'canvass-oidc-')), 'providers.json')
beforeAll(() => {
  const company = {
    name: 'Example Ltd',
    issuer: oidc.endpoint,
    client_id: 'survey-service',
    client_secret: oidc.clientSecret,
  }
  writeFileSync(
    file,
    JSON.stringify([
      { ...company, id: 'company' },
      { ...company, id: 'open', create_accounts: true, connect_by_email: true, domains: ['Example.org'] },
      { ...company, id: 'trusted', trust_email: true },
    ]),
  )
})
const world = useWorld({ settings: { OIDC_PROVIDERS_FILE: file } })

beforeAll(() => {
  oidc.scope = 'openid email profile'
  oidc.redirectUris = ['company', 'open', 'trusted'].map((id) => `${world.base}/accounts/sign-in/${id}/callback/`)
})
beforeEach(() => {
  oidc.isUp = true
})

const textOf = (page: string) => unescapeHtml(page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))

let count = 0
/** Another person appears at the provider. */
function arrive(person: Partial<typeof oidc.person> = {}) {
  count += 1
  oidc.person = { sub: `subject-${count}`, email: `arrival${count}@example.org`, email_verified: true, ...person }
  return { email: `arrival${count}@example.org`, ...oidc.person }
}

/** Follows the redirects to the provider and back. @returns the reply to the callback */
async function signInAt(id: string, browser = new HttpBrowser(world.base), query = '') {
  let reply = await browser.get(`/accounts/sign-in/${id}/${query}`)
  while (reply.to && !reply.to.includes('/callback/')) reply = await browser.get(new URL(reply.to, oidc.endpoint).href)
  return { browser, reply: reply.to ? await browser.get(reply.to) : reply }
}

const usernameOf = async (browser: HttpBrowser) =>
  /Your username is <strong>([^<]+)/.exec((await browser.get('/account/')).text)?.[1]
const identities = () =>
  world.em().getKysely<Tables>().selectFrom('external_identity').selectAll().orderBy('id').execute()

describe('signing in at an OpenID provider', () => {
  test('is offered on the sign-in page, and keeps the address that was requested', async () => {
    const page = await new HttpBrowser(world.base).get('/accounts/login/?next=/account/contacts/')
    expect(page.text).toContain('href="/accounts/sign-in/company/?next=%2Faccount%2Fcontacts%2F"')
    arrive()
    const { reply } = await signInAt('open', undefined, '?next=/account/contacts/')
    expect(reply).toMatchObject({ status: 303, to: '/account/contacts/' })
  })

  test('creates an account at the first sign-in if the operator allows it, and finds it by its subject later', async () => {
    const { email } = arrive({ name: 'Ann Example' })
    const { browser } = await signInAt('open')
    const username = await usernameOf(browser)
    expect(username).toBe(email.split('@')[0])
    expect((await browser.get('/account/')).text).toContain('value="Ann Example"')
    // Another address of the same person.
    oidc.person.email = 'married@elsewhere.example'
    const again = await signInAt('open')
    expect([again.reply.status, await usernameOf(again.browser)]).toEqual([303, username])
    const log = textOf((await browser.get('/account/security/')).text)
    expect(log).toContain('Sign-in with the provider open connected')
    expect(log).toContain('Signed in with the provider open')
  })

  test.each([
    ['has no account', 'company', {}, 'There is no account with the address'],
    ['sends no address', 'company', { email: undefined }, 'sent no email address'],
    ['has an address that is not verified', 'open', { email_verified: false }, 'has not confirmed that the address'],
    [
      'has an address about which nothing is said',
      'open',
      { email_verified: undefined },
      'has not confirmed that the address',
    ],
    ['has an address of another domain', 'open', { email: 'ann@example.com' }, 'have no access to this server'],
    ['has a subdomain', 'open', { email: 'ann@sub.example.org' }, 'have no access to this server'],
    [
      'has an address whose provider is trusted, but no account',
      'trusted',
      { email_verified: false },
      'There is no account',
    ],
  ])('refuses a person who %s, and says why', async (_, provider, person, text) => {
    arrive(person)
    const { browser, reply } = await signInAt(provider)
    expect([reply.status, textOf(reply.text)]).toEqual([403, expect.stringContaining(text)])
    expect(await browser.get('/account/')).toMatchObject({ status: 303 })
  })

  test('asks once for the password of an account with the same address', async () => {
    const person = await world.person({ email: 'Known@Example.org' })
    arrive({ email: 'known@example.org' })
    const { browser, reply } = await signInAt('company', undefined, '?next=/account/groups/')
    expect([reply.status, textOf(reply.text)]).toEqual([200, expect.stringContaining('Enter its password once')])
    expect(await browser.get('/account/')).toMatchObject({ status: 303 })
    const wrong = await browser.post('/accounts/sign-in/company/connect/', { password: 'wrong' })
    expect([wrong.status, textOf(wrong.text)]).toEqual([401, expect.stringContaining('The password is wrong.')])
    const right = await browser.post('/accounts/sign-in/company/connect/', { password: person.password })
    expect(right).toMatchObject({ status: 303, to: '/account/groups/' })
    expect((await signInAt('company')).reply.status).toBe(303)
  })

  test('connects an account by its verified address where the operator allows it, but no account that others opened or with more rights', async () => {
    const person = await world.person({ email: 'plain@example.org' })
    arrive({ email: 'plain@example.org' })
    expect(await usernameOf((await signInAt('open')).browser)).toBe(person.actor.username)

    const developer = await world.person({ email: 'developer@example.org', isDeveloper: true })
    arrive({ email: 'developer@example.org' })
    expect(textOf((await signInAt('open')).reply.text)).toContain('Enter its password once')

    await world.person({ email: 'administrator@example.org', isAdministrator: true })
    arrive({ email: 'administrator@example.org' })
    expect(textOf((await signInAt('open')).reply.text)).toContain('Enter its password once')

    await world.person({ email: 'opened@example.org', openedBy: developer.actor.id })
    arrive({ email: 'opened@example.org' })
    expect(textOf((await signInAt('open')).reply.text)).toContain('Enter its password once')
  })

  test('tells a person whose account is disabled', async () => {
    const admin = await world.person({ isAdministrator: true })
    arrive()
    const { browser } = await signInAt('open')
    const username = (await usernameOf(browser))!
    const [{ id }] = (await world
      .em()
      .getKysely<Tables>()
      .selectFrom('account')
      .select('id')
      .where('username', '=', username)
      .execute()) as [{ id: number }]
    const desk = await signInAs(admin)
    await desk.post(`/administration/users/${id}/disable/`)
    expect((await browser.get('/account/')).status).toBe(303)
    const { browser: again, reply } = await signInAt('open')
    expect([reply.status, textOf(reply.text)]).toEqual([409, expect.stringContaining('This account is disabled')])
    expect((await again.get('/account/')).status).toBe(303)
  })

  test('counts the addresses of a trusted provider as verified', async () => {
    const person = await world.person({ email: 'trusting@example.org' })
    arrive({ email: 'trusting@example.org', email_verified: undefined })
    expect(textOf((await signInAt('trusted')).reply.text)).toContain(person.actor.username)
  })

  test('rejects a callback of another browser, another state, or after ten minutes', async () => {
    arrive()
    const victim = new HttpBrowser(world.base)
    const attacker = new HttpBrowser(world.base)
    let step = await attacker.get('/accounts/sign-in/open/')
    while (!step.to!.includes('/callback/')) step = await attacker.get(new URL(step.to!, oidc.endpoint).href)
    expect((await victim.get(step.to!)).status).toBe(410)
    const changed = new URL(step.to!)
    changed.searchParams.set('state', 'another')
    expect((await attacker.get(changed.href)).status).toBe(503)
    // The state has been used up.
    expect((await attacker.get(step.to!)).status).toBe(410)

    const late = await attacker.get('/accounts/sign-in/open/')
    const before = world.now
    world.now = new Date(before.getTime() + 601_000)
    expect((await attacker.get(`/accounts/sign-in/open/callback/${new URL(late.to!).search}`)).status).toBe(410)
    world.now = before
  })

  test('says that the provider is not responding, and signs in when it is back', async () => {
    arrive()
    expect((await signInAt('open')).reply.status).toBe(303)
    const browser = new HttpBrowser(world.base)
    let step = await browser.get('/accounts/sign-in/open/')
    while (!step.to!.includes('/callback/')) step = await browser.get(new URL(step.to!, oidc.endpoint).href)
    oidc.isUp = false
    const down = await browser.get(step.to!)
    expect([down.status, textOf(down.text)]).toEqual([503, expect.stringContaining('Example Ltd is not responding.')])
    oidc.isUp = true
    expect((await signInAt('open', browser)).reply.status).toBe(303)
  })

  test('says that the person declined, and that the settings are wrong', async () => {
    arrive()
    const browser = new HttpBrowser(world.base)
    const { to } = await browser.get('/accounts/sign-in/open/')
    const state = new URL(to!).searchParams.get('state')!
    const declined = await browser.get(
      `/accounts/sign-in/open/callback/?error=access_denied&state=${state}&iss=${encodeURIComponent(oidc.endpoint)}`,
    )
    expect([declined.status, textOf(declined.text)]).toEqual([
      403,
      expect.stringContaining('Example Ltd did not sign you in.'),
    ])
    const next = await browser.get('/accounts/sign-in/open/')
    const wrong = await browser.get(
      `/accounts/sign-in/open/callback/?code=made-up&state=${new URL(next.to!).searchParams.get('state')}&iss=${encodeURIComponent(oidc.endpoint)}`,
    )
    expect([wrong.status, textOf(wrong.text)]).toEqual([503, expect.stringContaining('is not set up correctly')])
  })

  test('an unknown provider is a page that does not exist', async () => {
    expect((await new HttpBrowser(world.base).get('/accounts/sign-in/unknown/')).status).toBe(404)
  })

  test('a session ends after twelve hours', async () => {
    arrive()
    const { browser } = await signInAt('open')
    const before = world.now
    world.now = new Date(before.getTime() + 11 * 3_600_000)
    expect((await browser.get('/account/')).status).toBe(200)
    world.now = new Date(before.getTime() + 12 * 3_600_000 + 1)
    expect((await browser.get('/account/')).status).toBe(303)
    world.now = before
  })
})

describe('the account page', () => {
  test('connects and disconnects an identity', async () => {
    const person = await world.person()
    const browser = await signInAs(person)
    arrive({ email: 'private@elsewhere.example', email_verified: false })
    const { reply } = await signInAt('company', browser, '?for=connect&next=/account/')
    expect(reply).toMatchObject({ status: 303, to: '/account/' })
    expect(textOf((await browser.get('/account/')).text)).toContain('Example Ltd private@elsewhere.example')
    expect(await usernameOf((await signInAt('company')).browser)).toBe(person.actor.username)

    // Another account cannot take it.
    const other = await signInAs(await world.person())
    const taken = await signInAt('company', other, '?for=connect&next=/account/')
    expect([taken.reply.status, textOf(taken.reply.text)]).toEqual([409, expect.stringContaining('Another account')])

    const { id } = (await identities()).at(-1)!
    expect((await other.post(`/account/identities/${id}/`)).status).toBe(404)
    expect((await browser.post(`/account/identities/${id}/`)).status).toBe(303)
    expect(textOf((await signInAt('company')).reply.text)).toContain('has not confirmed that the address')
  })

  test('lets a person without a password confirm with the provider, for five minutes, and then delete the account', async () => {
    const { sub } = arrive()
    const { browser } = await signInAt('open')
    const link = '?for=confirm&next=/account/delete/'
    expect((await browser.get('/account/delete/')).text).toContain(
      '/accounts/sign-in/open/?next=%2Faccount%2Fdelete%2F&amp;for=confirm',
    )
    expect((await browser.post('/account/delete/', { password: '' })).status).toBe(422)
    expect((await signInAt('open', browser, link)).reply).toMatchObject({ status: 303, to: '/account/delete/' })
    const before = world.now
    world.now = new Date(before.getTime() + 301_000)
    await browser.get('/account/delete/')
    expect((await browser.post('/account/delete/', { password: '' })).status).toBe(422)
    world.now = before
    expect((await browser.get('/account/delete/')).text).not.toContain('type="password"')
    expect(textOf((await browser.post('/account/delete/', { password: '' })).text)).toContain('Account deleted')
    expect((await identities()).filter(({ subject }) => subject === sub)).toEqual([])
  })

  test('does not accept another person at the provider as confirmation', async () => {
    arrive()
    const { browser } = await signInAt('open')
    arrive()
    await signInAt('open', browser, '?for=confirm&next=/account/delete/')
    await browser.get('/account/delete/')
    expect((await browser.post('/account/delete/', { password: '' })).status).toBe(422)
  })

  test('offers to sign out at the provider too', async () => {
    arrive()
    const { browser } = await signInAt('open')
    await browser.get('/account/')
    const page = await browser.post('/accounts/logout/')
    expect(textOf(page.text)).toContain('You are still signed in at Example Ltd.')
    const address = new URL(/href="([^"]+id_token_hint[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&'))
    expect([address.origin, address.searchParams.get('post_logout_redirect_uri')]).toEqual([
      oidc.endpoint,
      `${world.base}/accounts/login/`,
    ])
    expect((await browser.get('/account/')).status).toBe(303)
  })
})

describe('with PASSWORD_SIGN_IN=off', () => {
  const strict = useWorld({ settings: { OIDC_PROVIDERS_FILE: file, PASSWORD_SIGN_IN: 'off' } })

  test('only developer accounts sign in with a password, and the page shows the provider first', async () => {
    const page = await new HttpBrowser(strict.base).get('/accounts/login/')
    expect([page.text.includes('type="password"'), textOf(page.text)]).toEqual([
      false,
      expect.stringContaining('Administrators can sign in with a password'),
    ])
    expect((await new HttpBrowser(strict.base).get('/accounts/login/?password')).text).toContain('type="password"')
    const person = await strict.person()
    const refused = await new HttpBrowser(strict.base).signIn(person.actor.username, person.password)
    expect([refused.status, textOf(refused.text)]).toEqual([
      403,
      expect.stringContaining('do not sign in with a password'),
    ])
    const admin = await strict.person({ isDeveloper: true })
    expect((await new HttpBrowser(strict.base).signIn(admin.actor.username, admin.password)).status).toBe(303)
  })

  test('sends no link that sets a password, except to developer accounts', async () => {
    const [person, admin] = [await strict.person(), await strict.person({ isDeveloper: true })]
    for (const { actor } of [person, admin])
      await new HttpBrowser(strict.base).post('/accounts/password/', { username: actor.username })
    await strict.runJobs()
    const links = await strict.em().getKysely<Tables>().selectFrom('account_link').select('account_id').execute()
    expect(links).toEqual([{ account_id: admin.actor.id }])
  })
})
