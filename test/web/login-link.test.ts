import { describe, expect, test } from '@jest/globals'
import { HttpBrowser, signInAsNewUser } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'
import { createLoginUrl } from './login-url.ts'

const world = useWorld()
const newBrowser = () => new HttpBrowser(world.base)
const redirectToSignIn = { status: 303, to: expect.stringMatching(/^\/accounts\/login\//) }
const advanceClock = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}

const createUrl = async (person: Person) => createLoginUrl(world, await world.person({ isDeveloper: true }), person)

describe('a one-time login URL', () => {
  test('signs the user in once and redirects to the account page, and returns 410 at the second visit [spec 3.4]', async () => {
    const user = await world.person()
    const url = await createUrl(user)
    const browser = newBrowser()
    expect(await browser.get(url)).toMatchObject({ status: 303, to: '/account/' })
    const page = await browser.get('/account/')
    expect(page.status).toBe(200)
    expect(page.text).toContain(user.actor.username)
    const secondBrowser = newBrowser()
    expect((await secondBrowser.get(url)).status).toBe(410)
    expect(await secondBrowser.get('/account/')).toMatchObject(redirectToSignIn)
  })

  test('signs in only one of several simultaneous visits [spec 3.4]', async () => {
    const user = await world.person()
    const url = await createUrl(user)
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await newBrowser().get(url)).status))
    expect(statuses.sort()).toEqual([303, ...Array(7).fill(410)])
  })

  test('expires after ten minutes, and stays valid after a HEAD request', async () => {
    const user = await world.person()
    const [expired, url] = [await createUrl(user), await createUrl(user)]
    await world.anonymous.head(url)
    expect((await newBrowser().get(url)).status).toBe(303)
    advanceClock(601)
    expect((await newBrowser().get(expired)).status).toBe(410)
  })

  test('returns 503 to a prefetch request and stays valid', async () => {
    const user = await world.person()
    const url = await createUrl(user)
    const prefetchHeaders = ['sec-purpose: prefetch', 'sec-purpose: prefetch;prerender', 'x-moz: prefetch']
    for (const [name, value] of prefetchHeaders.map((line) => line.split(': ') as [string, string]))
      expect((await newBrowser().get(url, { [name]: value })).status).toBe(503)
    expect((await newBrowser().get(url)).status).toBe(303)
  })

  test('does not sign in a browser that another site sends there without an action of its user, but shows a button', async () => {
    const user = await world.person()
    const url = await createUrl(user)
    const browser = newBrowser()
    const page = await browser.get(url, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })
    expect([page.status, page.text.includes('This link signs you in')]).toEqual([200, true])
    expect(await browser.get('/account/')).toMatchObject(redirectToSignIn)
    const clicked = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' }
    expect(await browser.get(url, clicked)).toMatchObject({ status: 303, to: '/account/' })
  })

  test('asks for a confirmation only if another user is signed in', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const user = await world.person()
    const url = await createUrl(user)
    const question = await browser.get(url)
    expect([
      question.status,
      question.text.includes(`You are currently signed in as <strong>${person.actor.username}</strong>`),
    ]).toEqual([200, true])
    expect((await browser.get('/account/')).text).toContain(
      `Your username is <strong>${person.actor.username}</strong>`,
    )
    const fields = { key: new URL(url).searchParams.get('key')!, next: '/account/' }
    expect((await browser.post('/accounts/login/', fields, { origin: 'https://evil.example' })).status).toBe(403)
    expect(await browser.post('/accounts/login/', fields)).toMatchObject({ status: 303, to: '/account/' })
    expect((await browser.get('/account/')).text).toContain(`Your username is <strong>${user.actor.username}</strong>`)
    expect((await browser.post('/accounts/login/', fields)).status).toBe(410)
    const ownUrl = await createUrl(user)
    expect(await browser.get(ownUrl, { 'sec-fetch-site': 'cross-site' })).toMatchObject({
      status: 303,
      to: '/account/',
    })
  })
})
