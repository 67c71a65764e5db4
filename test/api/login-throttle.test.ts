import { describe, expect, test } from '@jest/globals'
import type { Client } from '../support/client.ts'
import { signInAs } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})

const proxied = useWorld({
  settings: {
    RATE_LIMIT: 'on',
    TRUSTED_PROXIES: '1',
    SIGN_IN_FAILURES_PER_MINUTE: '0',
    API_FAILURES_PER_MINUTE: '0',
  },
})

const me = (client: Client) => client.get('/api/v3/')
const advance = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}
const guess = async (name: string, from: number, to: number) => {
  const replies = []
  for (let n = from; n < to; n += 1) replies.push(await me(world.anonymous.with(name, `guess ${n}`)))
  return replies
}

describe('wrong passwords', () => {
  test('return 429 with Retry-After after ten attempts, also to the correct password, and double the wait each time', async () => {
    const { actor, password } = await world.person()
    expect((await guess(actor.username, 0, 10)).map(({ status }) => status)).toEqual(Array(10).fill(401))
    const [blocked] = await guess(actor.username, 10, 11)
    expect(blocked).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } })
    expect(blocked?.headers.get('retry-after')).toBe('30')
    advance(31)
    expect((await guess(actor.username, 11, 12)).map(({ status }) => status)).toEqual([401])
    expect((await me(world.anonymous.with(actor.username, password))).headers.get('retry-after')).toBe('60')
    advance(61)
    expect((await me(world.anonymous.with(actor.username, password))).status).toBe(200)
    expect((await guess(actor.username, 12, 22)).map(({ status }) => status)).toEqual(Array(10).fill(401))
  })

  test('are counted when concurrent', async () => {
    const { actor } = await world.person()
    const statuses = await Promise.all(
      Array.from(
        { length: 30 },
        async (_, n) => (await me(world.anonymous.with(actor.username, `concurrent ${n}`))).status,
      ),
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })

  test('do not block another account or an API key with the username', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    await guess(ann.actor.username, 0, 12)
    expect((await me(bob)).status).toBe(200)
    expect((await me(world.anonymous.with(ann.actor.username, ann.apiKey))).status).toBe(200)
  })

  test('are also counted for unknown usernames', async () => {
    expect((await guess('unknown', 0, 11)).at(-1)?.status).toBe(429)
  })

  test('are reset after a day', async () => {
    const { actor } = await world.person()
    await guess(actor.username, 0, 11)
    advance(86_401)
    expect((await guess(actor.username, 11, 21)).map(({ status }) => status)).toEqual(Array(10).fill(401))
  })

  test('share one budget for all names of an account, and do not reveal which names belong to an account', async () => {
    const { actor, password } = await world.person()
    await guess(actor.username, 0, 11)
    const byEmail = (secret: string) => me(world.anonymous.with(actor.email.toUpperCase(), secret))
    const [wrong, right, unknown] = [
      await byEmail('guess 12'),
      await byEmail(password),
      await me(world.anonymous.with('nobody@example.org', 'guess 13')),
    ]
    expect([wrong, right, unknown].map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([401, 'unauthenticated']),
    )
    advance(31)
    expect((await byEmail(password)).status).toBe(200)
    expect((await me(world.anonymous.with(actor.username, password))).status).toBe(200)
  })

  test('do not lock the owner out of a browser that signed in before, which has a budget of its own', async () => {
    const ann = await world.person()
    const browser = await signInAs(ann)
    await guess(ann.actor.username, 0, 12)
    const signIn = (secret: string) =>
      browser.post('/accounts/login/', { username: ann.actor.username, password: secret })
    expect((await signIn(ann.password)).status).toBe(303)
    for (let n = 0; n < 10; n++) expect((await signIn(`guess ${n}`)).status).toBe(401)
    expect((await signIn(ann.password)).status).toBe(429)
    const other = await fetch(`${world.base}/accounts/login/`, {
      method: 'POST',
      body: new URLSearchParams({ username: ann.actor.username, password: ann.password }),
      redirect: 'manual',
    })
    expect(other.status).toBe(429)
  })
})

describe('wrong passwords from an IPv6 site', () => {
  test('have a larger budget for all its networks together', async () => {
    const { actor } = await proxied.person()
    const statuses = []
    for (let n = 0; n < 90; n++) {
      const headers = { 'X-Forwarded-For': `2001:db8:1:${n}::1` }
      statuses.push((await proxied.anonymous.with(actor.username, `guess ${n}`).get('/api/v3/', { headers })).status)
    }
    expect(statuses).toEqual([...Array(80).fill(401), ...Array(10).fill(429)])
    const headers = { 'X-Forwarded-For': '2001:db8:2::1' }
    expect((await proxied.anonymous.with(actor.username, 'guess').get('/api/v3/', { headers })).status).toBe(401)
  })
})
