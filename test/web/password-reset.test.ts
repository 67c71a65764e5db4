import { describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const newBrowser = () => new HttpBrowser(world.base)

/** Returns the reset links in the queued messages to an account. */
async function linksFor(accountId: number): Promise<string[]> {
  const { rows } = await world.application.services.pool.query<{ text: string }>(
    "select data->>'text' as text from pgboss.job where name = 'send-system-email' and data->>'account' = $1 and data->>'text' like '%key=%' order by created_on",
    [String(accountId)],
  )
  return rows.map(({ text }) => /http\S+key=\S+/.exec(text)![0])
}
async function requestReset(username: string) {
  const reply = await newBrowser().post('/accounts/password/', { username })
  await world.runJobs()
  return reply
}

describe('the password reset', () => {
  test('emails a link that sets a new password once, and ends all sessions', async () => {
    const { actor, password } = await world.person()
    const otherBrowser = newBrowser()
    await otherBrowser.signIn(actor.username, password)
    expect((await requestReset(actor.email)).status).toBe(200)
    const [link] = await linksFor(actor.id)
    const browser = newBrowser()
    const key = new URL(link!).searchParams.get('key')!
    expect((await browser.get(link!)).text).toContain(key)
    expect((await browser.post('/accounts/password/new/', { key, password: 'short' })).status).toBe(422)
    expect((await browser.post('/accounts/password/new/', { key, password: 'a new secret' })).status).toBe(200)
    expect((await browser.post('/accounts/password/new/', { key, password: 'another secret' })).status).toBe(410)
    expect((await browser.get(link!)).status).toBe(410)
    expect((await otherBrowser.get('/account/')).status).toBe(303)
    expect((await newBrowser().signIn(actor.username, password)).status).toBe(401)
    expect((await newBrowser().signIn(actor.username, 'a new secret')).status).toBe(303)
  })

  test('does not reveal whether an account exists', async () => {
    const { actor } = await world.person()
    const [known, unknown] = [await requestReset(actor.username), await requestReset('unknown')]
    expect(unknown).toMatchObject({ status: known.status, text: known.text })
  })

  test('sends at most three links per hour, each valid for an hour', async () => {
    const { actor } = await world.person()
    for (let n = 0; n < 5; n += 1) await requestReset(actor.username)
    const links = await linksFor(actor.id)
    expect(links).toHaveLength(3)
    world.now = new Date(world.now.getTime() + 3_601_000)
    expect((await newBrowser().get(links[0]!)).status).toBe(410)
  })

  test('does not sign in by a reset link', async () => {
    const { actor } = await world.person()
    await requestReset(actor.username)
    const key = new URL((await linksFor(actor.id))[0]!).searchParams.get('key')
    expect((await newBrowser().get(`/accounts/login/?key=${key}`)).status).toBe(410)
  })
})

describe('the request for a reset link', () => {
  test('queues the same job for known and unknown usernames', async () => {
    const { actor } = await world.person()
    await newBrowser().post('/accounts/password/', { username: actor.username })
    await newBrowser().post('/accounts/password/', { username: 'unknown' })
    expect(await linksFor(actor.id)).toEqual([])
    const runs = await world.runJobs()
    expect(runs.filter(({ name }) => name === 'request-password')).toHaveLength(2)
    expect(await linksFor(actor.id)).toHaveLength(1)
  })
})
