import { describe, expect, test } from '@jest/globals'
import type { Client, Reply } from '../support/client.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({
  settings: {
    RATE_LIMIT: 'on',
    TRUSTED_PROXIES: '1',
    SIGN_IN_FAILURES_PER_MINUTE: '5',
    API_FAILURES_PER_MINUTE: '12',
    WEBHOOKS_PER_ACCOUNT: '2',
    EMAILS_PER_DAY: '3',
  },
})
const unlimitedWorld = useWorld({
  settings: { WEBHOOKS_PER_ACCOUNT: '2', EMAILS_PER_DAY: '1', SIGN_IN_FAILURES_PER_MINUTE: '1' },
})

const from = (address: string) => ({ 'x-forwarded-for': address })
const callApi = (client: Client, address: string) => client.get('/api/v3/', { headers: from(address) })
const retryAfter = ({ headers }: Pick<Reply, 'headers'>) => Number(headers.get('retry-after'))
/** Attempts to sign in several times. @returns the statuses */
async function guess(count: number, attempt: (n: number) => Promise<{ status: number }>) {
  const statuses = []
  for (let n = 0; n < count; n += 1) statuses.push((await attempt(n)).status)
  return statuses
}

describe('wrong passwords from one network', () => {
  test('are counted over all usernames on the sign-in page, and do not block other networks and known browsers', async () => {
    const ann = await world.person()
    const { username } = ann.actor
    const browser = new HttpBrowser(world.base)
    await browser.post('/accounts/login/', { username, password: ann.password }, from('192.0.2.1'))
    const attempt = (n: number) =>
      new HttpBrowser(world.base).post('/accounts/login/', { username: `name${n}`, password: 'x' }, from('192.0.2.1'))
    expect(await guess(7, attempt)).toEqual([401, 401, 401, 401, 401, 429, 429])
    const credentials = { username, password: ann.password }
    const blocked = await new HttpBrowser(world.base).post('/accounts/login/', credentials, from('192.0.2.1'))
    expect(blocked.status).toBe(429)
    expect(retryAfter(blocked)).toBeGreaterThan(0)
    expect(retryAfter(blocked)).toBeLessThanOrEqual(60)
    expect(blocked.text).toContain('Too many wrong passwords.')
    expect((await browser.post('/accounts/login/', credentials, from('192.0.2.1'))).status).toBe(303)
    expect((await new HttpBrowser(world.base).post('/accounts/login/', credentials, from('192.0.2.2'))).status).toBe(
      303,
    )
  })

  test('are counted for an IPv6 network of 64 bits', async () => {
    const attempt = (n: number) => callApi(world.anonymous.with(`name${n}`, 'x'), `2001:db8:0:1::${n}`)
    expect(await guess(6, attempt)).toEqual([401, 401, 401, 401, 401, 429])
    expect((await callApi(world.anonymous.with('name', 'x'), '2001:db8:0:2::1')).status).toBe(401)
  })

  test('are counted, and correct passwords are not', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => world.person()))
    for (const { actor, password } of people)
      expect((await callApi(world.anonymous.with(actor.username, password), '192.0.2.3')).status).toBe(200)
  })
})

describe('wrong credentials of programs', () => {
  test('are counted for their network, repeated credentials only once', async () => {
    const ann = await world.person()
    const stale = world.anonymous.with(ann.actor.username, 'a key that was revoked')
    await guess(4, () => callApi(stale, '192.0.2.4'))
    const attempt = (n: number) =>
      world.anonymous.post('/api/v2/accounts/generate-login-url/', {
        form: { key: `wrong key ${n}`, username: 'x', password: 'x' },
        headers: from('192.0.2.4'),
      })
    expect(await guess(13, attempt)).toEqual([...Array(11).fill(401), 429, 429])
    const blocked = await callApi(world.anonymous.with(ann.actor.username, ann.apiKey), '192.0.2.4')
    expect([blocked.status, blocked.body.code]).toEqual([429, 'too_many_requests'])
    expect((await callApi(world.anonymous.with(ann.actor.username, ann.apiKey), '192.0.2.5')).status).toBe(200)
  })
})

describe('generate-login-url', () => {
  const requestUrl = (key: string, username: string, password: string) =>
    world.anonymous.post('/api/v2/accounts/generate-login-url/', { form: { key, username, password } })
  /** Signs a developer in. @returns a function that creates an API key */
  async function keyCreator(person: Person) {
    const browser = await signInAs(person)
    return async () => {
      const { text } = await browser.post('/account/keys/', { name: 'new' })
      return /<code class="secret" id="new-key">(\w{40})</.exec(text)![1]!
    }
  }

  test('counts wrong passwords for the account, whatever key is used', async () => {
    const [alice, one, other] = await Promise.all([
      world.person(),
      world.person({ isDeveloper: true }),
      world.person({ isDeveloper: true }),
    ])
    const createKey = await keyCreator(one)
    const statuses = []
    for (let n = 0; n < 4; n += 1) {
      const key = await createKey()
      for (let m = 0; m < 2; m += 1)
        statuses.push((await requestUrl(key, alice.actor.username, `guess ${n} ${m}`)).status)
    }
    for (let n = 0; n < 4; n += 1)
      statuses.push((await requestUrl(other.apiKey, alice.actor.username, `more ${n}`)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect((await requestUrl(await createKey(), alice.actor.username, alice.password)).status).toBe(429)
    expect((await requestUrl(one.apiKey, other.actor.username, other.password)).status).toBe(200)
  })

  test('counts the wrong passwords that a developer account sends, over all usernames and API keys', async () => {
    const developer = await world.person({ isDeveloper: true })
    const createKey = await keyCreator(developer)
    const statuses = await guess(14, async (n) =>
      requestUrl(n % 5 ? developer.apiKey : await createKey(), `name${n}`, 'x'),
    )
    expect(statuses).toEqual([...Array(12).fill(401), 429, 429])
  })
})

describe('webhooks of an account [spec 2.9]', () => {
  const subscribe = (person: Person, version: 2 | 3, n: number) =>
    person.post(version === 2 ? '/api/v2/webhooks/subscribe/' : '/api/v3/webhooks/', {
      json: { event: 'response_complete', subscription_url: `https://example.org/${n}` },
    })

  test('are limited in both versions together, and a deleted webhook no longer counts', async () => {
    const ann = await world.person()
    const first = await subscribe(ann, 3, 0)
    expect([first.status, (await subscribe(ann, 2, 1)).status]).toEqual([201, 201])
    for (const version of [2, 3] as const) {
      const rejected = await subscribe(ann, version, 2)
      expect([rejected.status, rejected.body.code]).toEqual([429, 'too_many_requests'])
      expect(retryAfter(rejected)).toBeGreaterThan(0)
    }
    await ann.delete(`/api/v3/webhooks/${first.body.id}/`)
    const many = await Promise.all([3, 4, 5].map((n) => subscribe(ann, 3, n)))
    expect(many.map(({ status }) => status).sort()).toEqual([201, 429, 429])
  })

  test('are not limited with RATE_LIMIT=off', async () => {
    const ann = await unlimitedWorld.person()
    for (let n = 0; n < 4; n += 1) expect((await subscribe(ann, 3, n)).status).toBe(201)
    for (let n = 0; n < 3; n += 1) expect((await send(ann, await inviteUriOfSurvey(ann), 1)).status).toBe(201)
    expect(await guess(12, (n) => unlimitedWorld.anonymous.with(`name${n}`, 'x').get('/api/v3/'))).toEqual(
      Array(12).fill(401),
    )
  })
})

const inviteUriOfSurvey = async (person: Person): Promise<string> =>
  (await person.post('/api/v3/surveys/', { json: { name: 'Lunch' } })).body.send_invite_uri
const send = (person: Person, survey: string, n: number) =>
  person.post(survey, {
    json: {
      name: `Guest ${n}`,
      email: `guest${n}@example.net`,
      subject: 'Lunch?',
      sender: 'Ann <ann@example.org>',
      message: '[Invite Link]',
    },
  })

describe('email messages of an account [spec 2.9]', () => {
  test('are limited per day and account, and rejected messages are not queued', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const survey = await inviteUriOfSurvey(ann)
    for (let n = 0; n < 3; n += 1) expect((await send(ann, survey, n)).status).toBe(201)
    const rejected = await send(ann, survey, 3)
    expect([rejected.status, rejected.body.code]).toEqual([429, 'too_many_requests'])
    expect(retryAfter(rejected)).toBe(12 * 3600)
    expect((await send(bob, await inviteUriOfSurvey(bob), 1)).status).toBe(201)
    world.now = new Date(world.now.getTime() + 12 * 3_600_000)
    for (let n = 0; n < 3; n += 1) expect((await send(ann, survey, 10 + n)).status).toBe(201)
    expect((await send(ann, survey, 13)).status).toBe(429)
    const { rows } = await world.application.services.pool.query(
      'select count(*)::int as sent from email_message m join email e on e.id = m.email_id where e.owner_id = $1',
      [ann.actor.id],
    )
    expect(rows).toEqual([{ sent: 6 }])
  })

  test('are counted once if their email is cancelled and sent again', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann)
    const browser = await signInAs(ann)
    const fields = { sender: 'Ann <ann@example.org>', message: '[Invite Link]', subject: 'Tea?' }
    const { to } = await browser.post(`/account/surveys/${survey}/invitations/new/`, fields)
    const path = to!.replace('recipients/', '')
    await browser.post(to!, { how: 'paste', addresses: 'a@example.net\nb@example.net\nc@example.net' })
    for (let n = 0; n < 3; n += 1) {
      expect((await browser.post(`${path}send/`, { when: 'now' })).status).toBe(303)
      expect((await browser.post(`${path}unschedule/`)).status).toBe(303)
    }
    await browser.post(`${path}recipients/`, { how: 'paste', addresses: 'd@example.net' })
    const rejected = await browser.post(`${path}send/`, { when: 'now' })
    expect([rejected.status, rejected.text.includes('An account can send at most 3 messages a day')]).toEqual([
      429,
      true,
    ])
  })
})
