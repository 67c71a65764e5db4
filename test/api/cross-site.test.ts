import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Client } from '../support/client.ts'
import { registerApp, tokensFor } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const ALLOWED = 'https://intranet.example.org'
const world = useWorld({ settings: { ALLOWED_ORIGINS: `${ALLOWED}, http://localhost:3000` } })
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const count = async () => (await ann.get('/api/v3/surveys/')).body.total
const create = (version: 2 | 3, headers: Record<string, string>, caller: Client = ann) =>
  caller.post(`/api/v${version}/surveys/`, { form: version === 3 ? { name: 'Lunch' } : { title: 'Lunch' }, headers })

describe.each([2, 3] as const)('version %i', (version) => {
  test.each<[string, Record<string, string>]>([
    ['of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another site, without an Origin header', { 'sec-fetch-site': 'cross-site' }],
    ['of a sibling host', { origin: 'https://pages.example.org', 'sec-fetch-site': 'same-site' }],
    ['of another origin in an older browser', { origin: 'https://evil.example' }],
    ['of a sandboxed frame', { origin: 'null' }],
  ])('rejects a write with Basic credentials when a page %s sends it', async (_, headers) => {
    const before = await count()
    const reply = await create(version, headers)
    expect([reply.status, reply.body.code]).toEqual([403, 'cross_site_request'])
    const responses = `/api/v${version}/surveys/1/responses/`
    expect((await ann.put(`${responses}1/`, { headers })).status).toBe(403)
    expect((await ann.delete(version === 3 ? `${responses}1/` : `${responses}?ids=1`, { headers })).status).toBe(403)
    expect(await count()).toBe(before)
  })

  test('accepts a write with Basic credentials from a program, from a page of Canvass and from an allowed origin', async () => {
    for (const headers of [
      {},
      { origin: world.base },
      { origin: world.base, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: ALLOWED, 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      expect([200, 201]).toContain((await create(version, headers)).status)
  })

  test('accepts a write with an access token from any origin', async () => {
    const { access_token } = await tokensFor(world, await registerApp(world), ann)
    const headers = { authorization: `Bearer ${access_token}`, origin: 'https://app.example' }
    expect([200, 201]).toContain((await create(version, headers, world.anonymous)).status)
  })

  const fromOtherSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }

  test('answers a GET request with Basic credentials from any origin', async () => {
    expect((await ann.get(`/api/v${version}/surveys/`, { headers: fromOtherSite })).status).toBe(200)
  })

  test('returns 401 for a write without credentials from another site', async () => {
    const reply = await world.anonymous.post(`/api/v${version}/surveys/`, { form: {}, headers: fromOtherSite })
    expect(reply.status).toBe(401)
  })
})
