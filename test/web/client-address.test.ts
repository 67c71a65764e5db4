import { describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { RequestOptions } from '../support/client.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
const world = useWorld({
  settings: {
    RATE_LIMIT: 'on',
    TRUSTED_PROXIES: '1',
    RATE_LIMITS: 'address=2/60, standard=0/60',
    SIGN_IN_FAILURES_PER_MINUTE: '2',
    API_FAILURES_PER_MINUTE: '0',
  },
  log,
})
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })
const clientAt = (address: string) => ({
  get: (path: string) => world.anonymous.get(path, from(address)),
  post: (path: string, sent: RequestOptions) => world.anonymous.post(path, { ...sent, ...from(address) }),
})
const count = (length: number) => Array.from({ length }, (_, index) => index)

/** Requests the API without credentials. @returns the statuses */
const requests = async (addresses: string[]) => {
  const statuses: number[] = []
  for (const address of addresses) statuses.push((await world.anonymous.get('/api/v3/surveys/', from(address))).status)
  return statuses
}

/** Signs in with unknown names and a wrong password. @returns the statuses */
const signIns = async (addresses: string[]) => {
  const statuses: number[] = []
  for (const [index, address] of addresses.entries()) {
    const form = { username: `nobody ${index}`, password: 'wrong' }
    statuses.push((await world.anonymous.post('/accounts/login/', { form, ...from(address) })).status)
  }
  return statuses
}

describe('the address of a client behind a proxy', () => {
  test.each([
    ['with ports', (n: number) => `198.51.100.22:${1000 + n}`],
    ['with brackets and ports', (n: number) => `[2001:db8:4:1::1]:${1000 + n}`],
    ['in other notations', (n: number) => ['::ffff:198.51.100.23', '198.51.100.23', '::FFFF:c633:6417'][n % 3]!],
    ['that are not addresses', (n: number) => (n % 2 ? `x${n}` : `198.51.100.24:${70_000 + n}`)],
    ['of one /64', (n: number) => `2001:db8:5:1::${n}`],
  ])('has one limit for elements %s', async (_, element) => {
    expect(await requests(count(4).map(element))).toEqual([401, 401, 429, 429])
    expect(await signIns(count(4).map(element))).toEqual([401, 401, 429, 429])
    world.now = new Date(world.now.getTime() + 60_000)
  })

  test('has a larger limit for all /64 networks of a /48', async () => {
    const networks = count(20).map((n) => `2001:db8:6:${n}::1`)
    const expected = [...Array(16).fill(401), ...Array(4).fill(429)]
    expect(await requests(networks)).toEqual(expected)
    expect(await signIns(networks)).toEqual(expected)
    expect(await requests(['2001:db8:7::1'])).toEqual([401])
  })

  test('is stored in one form, without a port; garbage counts for the connection and is logged once', async () => {
    const { survey, path } = await addSurvey(await world.person(), { title: 'Tea', form: [pageOf(text('why'))] })
    for (const element of ['203.0.113.82:555', '[2001:0db8::1]:80', '::ffff:203.0.113.83', 'unknown', '_hidden:1'])
      await submitForm(clientAt(element), await world.anonymous.get(path), { why: element })
    const stored = (await storedResponses(world, survey.id)) as { ip_address: string }[]
    expect(stored.map(({ ip_address }) => ip_address)).toEqual([
      '203.0.113.82',
      '2001:db8::1',
      '203.0.113.83',
      '127.0.0.1',
      '127.0.0.1',
    ])
    expect(lines.filter((line) => line.includes('X-Forwarded-For'))).toHaveLength(1)
  })
})

describe('short links', () => {
  test('are limited per network: 60 different ones an hour, each any number of times', async () => {
    const statusOf = async (code: number, address: string) =>
      (await world.anonymous.get(`/s/${String(code).padStart(12, '0')}`, from(address))).status
    for (const code of [...count(60), ...count(60)]) expect(await statusOf(code, '203.0.113.99:81')).toBe(404)
    expect(await statusOf(60, '203.0.113.99:82')).toBe(429)
    expect(await statusOf(59, '203.0.113.99')).toBe(404)
    expect(await statusOf(60, '203.0.113.98')).toBe(404)
  })
})
