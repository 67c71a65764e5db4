import { request } from 'node:http'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Client } from '../support/client.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'Ann', email: 'Ann@example.org', password: 'pass: wörd' })
})

const paths = ['/api/v3/surveys/', '/api/v2/surveys/', '/api/v3/', '/api/v2/me'] as const
const statuses = (client: Client) => Promise.all(paths.map(async (path) => (await client.get(path)).status))

describe('valid Basic credentials [spec 3.1]', () => {
  test.each<[string, (caller: Person) => [string, string]]>([
    ['API key, password', (caller) => [caller.apiKey, caller.password]],
    ['username, password', (caller) => [caller.actor.username, caller.password]],
    ['email, password', (caller) => [caller.actor.email, caller.password]],
    ['username, API key', (caller) => [caller.actor.username, caller.apiKey]],
    ['email, API key', (caller) => [caller.actor.email, caller.apiKey]],
    ['username in another case, password', (caller) => ['aNN', caller.password]],
    ['email in another case, password', (caller) => ['ann@EXAMPLE.org', caller.password]],
  ])('are accepted as %s', async (_, pair) => {
    const client = ann.with(...pair(ann))
    expect(await statuses(client)).toEqual([200, 200, 200, 200])
    expect((await client.get('/api/v2/me')).body.user.id).toBe(ann.actor.id)
  })
})

describe('invalid Basic credentials [spec 3.2]', () => {
  test.each<[string, (caller: Person, other: Person) => [string, string]]>([
    ['a wrong password', (caller) => [caller.actor.username, 'wrong']],
    ['an API key with a wrong password', (caller) => [caller.apiKey, 'wrong']],
    ["an API key with another's password", (caller, other) => [caller.apiKey, other.password]],
    ["a username with another's API key", (caller, other) => [caller.actor.username, other.apiKey]],
    ['an API key twice', (caller) => [caller.apiKey, caller.apiKey]],
    ['a password in another case', (caller) => [caller.actor.username, caller.password.toUpperCase()]],
    ['an unknown username', () => ['unknown', 'wrong']],
    ['empty credentials', () => ['', '']],
  ])('return 401 for %s', async (_, pair) => {
    const [caller, other] = [await world.person(), await world.person()]
    expect(await statuses(ann.with(...pair(caller, other)))).toEqual([401, 401, 401, 401])
  })

  test.each(['Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Basic YQA6Yg==', 'Digest x', 'ann'])(
    'return 401 for the header Authorization: %s',
    async (authorization) => {
      const { status, headers } = await world.anonymous.get('/api/v3/', { headers: { authorization } })
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Basic realm="api"')
    },
  )
})

describe('a request without credentials [spec 3.2]', () => {
  test('returns 401 from v3 with a challenge and problem+json', async () => {
    const { status, headers, body } = await world.anonymous.get('/api/v3/surveys/')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Basic realm="api", Bearer realm="api"')
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: expect.any(String),
      instance: '/api/v3/surveys/',
      code: 'unauthenticated',
    })
  })

  test('returns 401 from v2 with a challenge, code and description', async () => {
    const { status, headers, body } = await world.anonymous.get('/api/v2/surveys/')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Basic realm="api", Bearer realm="api"')
    expect(body).toEqual({ code: 'not_authorized', description: expect.any(String) })
  })

  test('returns the challenges as two header lines, Basic first', async () => {
    const lines = await new Promise<string[]>((resolve, reject) =>
      request(`${world.base}/api/v3/surveys/`, ({ rawHeaders }) => resolve(rawHeaders))
        .on('error', reject)
        .end(),
    )
    const challenges = lines.flatMap((name, index) => (/^www-authenticate$/i.test(name) ? [lines[index + 1]] : []))
    expect(challenges).toEqual(['Basic realm="api"', 'Bearer realm="api"'])
  })
})
