import { describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const visitor = () => new Visitor(world.base)
async function signedIn() {
  const person = await world.person()
  const browser = visitor()
  await browser.signIn(person.actor.username, person.password)
  return { person, browser }
}
const outside = { status: 303, to: expect.stringMatching(/^\/accounts\/login\//) }
const later = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}

async function loginUrl(name: string, password: string): Promise<string> {
  const developer = await world.person({ isDeveloper: true })
  const form = { key: developer.apiKey, username: name, password }
  return (await world.anonymous.post('/api/v2/accounts/generate-login-url/', { form })).body['login-url']
}

describe('one-time login URL', () => {
  test('signs in once and opens the account page; a second visit is rejected', async () => {
    const { actor, password } = await world.person()
    const url = await loginUrl(actor.username, password)
    const browser = visitor()
    expect(await browser.get(url)).toMatchObject({ status: 303, to: '/account/' })
    const page = await browser.get('/account/')
    expect(page.status).toBe(200)
    expect(page.text).toContain(actor.username)
    const again = visitor()
    expect((await again.get(url)).status).toBe(410)
    expect(await again.get('/account/')).toMatchObject(outside)
  })

  test('signs in only one of two simultaneous visits', async () => {
    const { actor, password } = await world.person()
    const url = await loginUrl(actor.username, password)
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await visitor().get(url)).status))
    expect(statuses.sort()).toEqual([303, ...Array(7).fill(410)])
  })

  test('expires after ten minutes; a HEAD request does not use it up', async () => {
    const { actor, password } = await world.person()
    const [old, url] = [await loginUrl(actor.username, password), await loginUrl(actor.username, password)]
    await world.anonymous.head(url)
    expect((await visitor().get(url)).status).toBe(303)
    later(601)
    expect((await visitor().get(old)).status).toBe(410)
  })

  test('is not used up by a prefetch', async () => {
    const { actor, password } = await world.person()
    const url = await loginUrl(actor.username, password)
    const ahead = ['sec-purpose: prefetch', 'sec-purpose: prefetch;prerender', 'x-moz: prefetch']
    for (const [name, value] of ahead.map((line) => line.split(': ') as [string, string]))
      expect((await visitor().get(url, { [name]: value })).status).toBe(503)
    expect((await visitor().get(url)).status).toBe(303)
  })

  test('asks first only if another user is signed in', async () => {
    const { person, browser } = await signedIn()
    const { actor, password } = await world.person()
    const url = await loginUrl(actor.username, password)
    const asked = await browser.get(url)
    expect([
      asked.status,
      asked.text.includes(`You are currently signed in as <strong>${person.actor.username}</strong>`),
    ]).toEqual([200, true])
    expect((await browser.get('/account/')).text).toContain(
      `Your username is <strong>${person.actor.username}</strong>`,
    )
    const fields = { key: new URL(url).searchParams.get('key')!, next: '/account/' }
    expect((await browser.post('/accounts/login/', fields, { origin: 'https://evil.example' })).status).toBe(403)
    expect(await browser.post('/accounts/login/', fields)).toMatchObject({ status: 303, to: '/account/' })
    expect((await browser.get('/account/')).text).toContain(`Your username is <strong>${actor.username}</strong>`)
    expect((await browser.post('/accounts/login/', fields)).status).toBe(410)
    const own = await loginUrl(actor.username, password)
    expect(await browser.get(own, { 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 303, to: '/account/' })
  })
})
