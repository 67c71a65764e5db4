import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseList } from 'structured-headers'
import { RequestLimits } from '../../src/domain/request-limits.ts'
import { Client, type Reply } from '../support/client.ts'
import { registerApp, tokensFor } from '../support/oauth.ts'
import { type RunningProgram, startProgram } from '../support/process.ts'
import { type Person, useWorld } from '../support/world.ts'

const RATE_LIMITS = 'address=5/60, standard=20/60, pro=30/60, internal=0/60'
const world = useWorld({
  settings: { RATE_LIMIT: 'on', TRUSTED_PROXIES: '1', RATE_LIMITS, API_FAILURES_PER_MINUTE: '0' },
})

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
/** Sends the same request several times, one after the other. @returns the replies */
async function repeat(count: number, send: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let n = 0; n < count; n += 1) replies.push(await send())
  return replies
}
const statuses = (replies: Reply[]) => replies.map(({ status }) => status)

/** Returns the value and the parameters of the only item in a header field with a structured list. */
function itemOf(reply: Reply, field: string): Record<string, unknown> {
  const list = parseList(reply.headers.get(field)!)
  expect(list).toHaveLength(1)
  const [value, parameters] = list[0]!
  return { value, ...Object.fromEntries(parameters) }
}
const remaining = (reply: Reply) => itemOf(reply, 'ratelimit')

/** Sets the plan of an account in the database of the world. */
const setPlan = (person: Person, plan: string) =>
  world.application.services.pool.query('update account set plan = $2 where id = $1', [person.actor.id, plan])

describe('the limit of an account [spec 2.9]', () => {
  test('is in RateLimit and RateLimit-Policy of every reply, including error replies', async () => {
    const ann = await world.person()
    const [first, missing, invalid] = [
      await ann.get('/api/v3/surveys/'),
      await ann.get('/api/v2/surveys/0/'),
      await ann.post('/api/v3/surveys/', { json: {} }),
    ]
    expect([first.status, missing.status, invalid.status]).toEqual([200, 404, 400])
    expect(itemOf(first, 'ratelimit-policy')).toEqual({ value: 'standard', q: 20, w: 60 })
    expect([first, missing, invalid].map(remaining)).toEqual([
      { value: 'standard', r: 19, t: 60 },
      { value: 'standard', r: 18, t: 60 },
      { value: 'standard', r: 17, t: 60 },
    ])
  })

  test.each([
    [2, { code: 'too_many_requests' }],
    [3, { code: 'too_many_requests', status: 429, title: 'Too Many Requests' }],
  ])('makes version %i return 429 with Retry-After until the window ends', async (version, body) => {
    const ann = await world.person()
    const send = () => ann.get(`/api/v${version}/surveys/`)
    expect(statuses(await repeat(20, send))).toEqual(Array(20).fill(200))
    world.now = new Date(world.now.getTime() + 18_000)
    const rejected = await send()
    expect(rejected).toMatchObject({ status: 429, body })
    expect(rejected.text).toContain('more than 20 in 60 seconds. Try again in 42 seconds.')
    expect(rejected.headers.get('retry-after')).toBe('42')
    expect(remaining(rejected)).toEqual({ value: 'standard', r: 0, t: 42 })
    world.now = new Date(world.now.getTime() + 42_000)
    const accepted = await send()
    expect([accepted.status, remaining(accepted).r]).toEqual([200, 19])
  })

  test('counts the requests with all keys and applications of the account, and not those of another account', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const app = await registerApp(world)
    const { access_token: token } = await tokensFor(world, app, ann)
    const byToken = new Client(world.base, `Bearer ${token}`)
    const byName = world.anonymous.with(ann.actor.username, ann.password)
    const used = []
    for (const client of [ann, byToken, byName]) used.push(remaining(await client.get('/api/v3/')).r)
    expect(used).toEqual([19, 18, 17])
    const { access_token: readOnly } = await tokensFor(world, app, ann, 'read')
    const forbidden = await new Client(world.base, `Bearer ${readOnly}`).post('/api/v3/surveys/', { json: {} })
    expect([forbidden.status, remaining(forbidden).r]).toEqual([403, 16])
    await repeat(20, () => byToken.get('/api/v3/'))
    expect([(await ann.get('/api/v2/me/')).status, (await bob.get('/api/v2/me/')).status]).toEqual([429, 200])
  })

  test('depends on the plan of the account, and is absent from replies if the plan has no limit', async () => {
    const [pro, internal, former] = [await world.person(), await world.person(), await world.person()]
    await Promise.all([setPlan(pro, 'pro'), setPlan(internal, 'internal'), setPlan(former, 'no longer a plan')])
    expect(statuses(await repeat(31, () => pro.get('/api/v3/')))).toEqual([...Array(30).fill(200), 429])
    const replies = await repeat(40, () => internal.get('/api/v3/'))
    expect(statuses(replies)).toEqual(Array(40).fill(200))
    expect(replies[0]!.headers.has('ratelimit') || replies[0]!.headers.has('ratelimit-policy')).toBe(false)
    const { user } = (await former.get('/api/v2/me/')).body
    expect(user).toMatchObject({ plan_name: 'standard', plan: `${world.base}/api/v2/plan/standard/` })
    expect((await former.get('/api/v2/plan/pro/')).body.description).toContain('API requests: 30 in 60 seconds.')
  })
})

describe('the limit of an address [spec 2.9]', () => {
  test('counts requests without credentials, requests with wrong credentials, and requests to unknown paths', async () => {
    const replies = [
      await world.anonymous.get('/api/v3/', from('192.0.2.1')),
      await world.anonymous.with('ann', 'wrong').get('/api/v2/surveys/', from('192.0.2.1')),
      await world.anonymous.get('/api/v3/nothing/', from('192.0.2.1')),
      await world.anonymous.send('PATCH', '/api/v3/', from('192.0.2.1')),
      await world.anonymous.post('/api/v2/accounts/generate-login-url/', from('192.0.2.1')),
    ]
    expect(statuses(replies)).toEqual([401, 401, 404, 405, 400])
    expect(replies.map((reply) => remaining(reply).r)).toEqual([4, 3, 2, 1, 0])
    const rejected = await world.anonymous.get('/api/v3/', from('192.0.2.1'))
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, String(remaining(rejected).t)])
    expect(itemOf(rejected, 'ratelimit-policy')).toEqual({ value: 'address', q: 5, w: 60 })
  })

  test('is shared by the addresses of an IPv6 /64 network, and does not affect accounts that use these addresses', async () => {
    const addresses = Array.from({ length: 6 }, (_, n) => `2001:db8:0:7::${n + 1}`)
    const replies = []
    for (const address of addresses) replies.push(await world.anonymous.get('/api/v3/', from(address)))
    expect(statuses(replies)).toEqual([401, 401, 401, 401, 401, 429])
    const ann = await world.person()
    expect((await ann.get('/api/v3/', from(addresses[0]!))).status).toBe(200)
    expect((await world.anonymous.get('/api/v3/', from('2001:db8:0:8::1'))).status).toBe(401)
  })

  test('keeps at most 50,000 addresses in memory', () => {
    const limits = new RequestLimits(new Map([['address', { requests: 5, seconds: 60 }]]))
    const countFrom = (n: number) => limits.count(undefined, `network ${n}`, world.now)!.remaining
    for (let n = 0; n < 100_000; n += 1) countFrom(n)
    expect([countFrom(99_999), countFrom(50_000), countFrom(0)]).toEqual([3, 3, 4])
    let exchanged = 0
    for (let counts = limits.takeUnshared(); counts.length; counts = limits.takeUnshared()) {
      expect(counts.length).toBeLessThanOrEqual(1_000)
      exchanged += counts.length
    }
    expect(exchanged).toBe(50_000)
  })
})

describe('a second server on the same database', () => {
  const shared = useWorld({ realTime: true, settings: { RATE_LIMIT: 'on', RATE_LIMITS: 'standard=50/3600' } })
  let second: RunningProgram
  let secondUrl: string
  beforeAll(async () => {
    second = startProgram(
      {
        DATABASE_URL: shared.databaseUrl,
        SECRET_KEY: shared.secretKey,
        BASE_URL: shared.base,
        DATA_DIR: shared.dataDir,
        RATE_LIMITS: 'standard=50/3600',
      },
      'test/support/second-process.ts',
    )
    await second.waitForOutput('ready')
    secondUrl = `http://127.0.0.1:${/port (\d+)/.exec(second.output())![1]}`
  }, 30_000)
  afterAll(() => second.kill('SIGTERM'))

  test('shares the limit of an account', async () => {
    const ann = await shared.person()
    const atSecond = new Client(secondUrl, ann.authorization)
    expect((await atSecond.get('/api/v3/')).status).toBe(200)
    const first = statuses(await repeat(51, () => ann.get('/api/v3/')))
    expect(first.filter((status) => status === 200).length).toBeLessThanOrEqual(50)
    // Alone, the second server would accept 49 further requests.
    let status = 200
    for (let n = 0; n < 40 && status === 200; n += 1) {
      await pause(100)
      status = (await atSecond.get('/api/v3/')).status
    }
    expect(status).toBe(429)
  })
})
