import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exampleRequests, setup } from '../sdk/example-requests.ts'
import { makeExampleWorld } from '../sdk/example-world.ts'
import type { Reply } from '../support/client.ts'
import { type DatabaseSnapshot, snapshotDatabase } from '../support/db-snapshot.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const reads = exampleRequests('get').filter(({ headers }) => headers.includes('If-None-Match'))
const writes = (['put', 'delete'] as const).flatMap((method) =>
  exampleRequests(method)
    .filter(({ headers }) => headers.includes('If-Match'))
    .map((request) => ({ ...request, method })),
)
const STRUCTURE = '/api/v3/surveys/14/structure/'

/** What proxies that compress a reply make of its ETag. */
const COMPRESSIONS = ['W/"tag"', '"tag-gzip"', 'W/"tag-gzip"', '"tag-br"', '"tag-zstd"', '"tag-deflate"', '"tag--gzip"']
const compressedTags = (strong: string) => COMPRESSIONS.map((form) => form.replace('"tag', strong.slice(0, -1)))

describe('conditional requests [spec 2.5]', () => {
  let owner: Person
  let kept: DatabaseSnapshot
  beforeAll(async () => {
    owner = await makeExampleWorld(world)
    kept = await snapshotDatabase(world.databaseUrl)
  }, 60_000)
  afterAll(() => kept.close())

  const etagOf = (reply: Reply) => reply.headers.get('etag') ?? 'none'
  const put = (address: string, json: unknown, ifMatch: string) =>
    owner.put(address, { json, headers: { 'if-match': ifMatch } })

  test.each(reads)(
    '$version $operationId returns an ETag, and 304 to a request with this ETag',
    async ({ address, operationId }) => {
      const first = await owner.get(address)
      const strong = etagOf(first).replace(/^W\//, '')
      expect([first.status, strong]).toEqual([200, expect.stringMatching(/^"[\w-]{27,32}"$/)])
      expect(etagOf(first) !== strong).toBe(operationId === 'exportWorkbook')
      for (const tags of [etagOf(first), `"other", W/${strong}`, '*', ...compressedTags(strong)]) {
        const again = await owner.get(address, { headers: { 'if-none-match': tags } })
        expect([again.status, again.text, etagOf(again)]).toEqual([304, '', etagOf(first)])
      }
      const head = await owner.head(address, { headers: { 'if-none-match': etagOf(first) } })
      expect([head.status, etagOf(head)]).toEqual([304, etagOf(first)])
      expect((await owner.get(address, { headers: { 'if-none-match': '"other"' } })).text).toBe(first.text)
    },
  )

  test.each(writes)('$version $operationId changes nothing without the current ETag', async (request) => {
    const { address, sent, method, operationId } = request
    const resource = address.replace(/\?.*/, '')
    await kept.restore()
    await setup[operationId]?.(owner, world)
    const before = await owner.get(resource)
    const send = (ifMatch: string) =>
      owner.send(method, address, { ...sent, headers: { ...sent.headers, 'if-match': ifMatch } })
    const refused = await send('"other"')
    expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed'])
    expect((await owner.get(resource)).text).toBe(before.text)
    const empty = await send('')
    expect([empty.status, empty.text]).toEqual([412, expect.stringContaining('If-Match is empty')])
    const tag = compressedTags(etagOf(before))[writes.indexOf(request) % COMPRESSIONS.length]
    expect((await send(`"other", ${tag}`)).status).toBeLessThan(300)
  })

  test('returns 404 for an If-Match on a resource that does not exist', async () => {
    expect((await put('/api/v3/surveys/999/structure/', { title: 'None', form: [] }, '*')).status).toBe(404)
  })

  test('only one of several changes of a structure with the same ETag succeeds', async () => {
    await kept.restore()
    const structure = await owner.get(STRUCTURE)
    const titles = Array.from({ length: 8 }, (_, n) => `Title ${n}`)
    const replies = await Promise.all(
      titles.map((title) => put(STRUCTURE, { ...structure.body, title }, etagOf(structure))),
    )
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status < 300)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(7)
    expect((await owner.get(STRUCTURE)).body.title.en).toBe(titles[statuses.findIndex((status) => status < 300)])
  })

  test('only one of several changes of a contact with the same ETag succeeds', async () => {
    await kept.restore()
    const contact = await owner.get('/api/v3/contacts/71/')
    const change = (n: number) => put('/api/v3/contacts/71/', { name: `Ben ${n}` }, etagOf(contact))
    const replies = await Promise.all([1, 2, 3, 4].map(change))
    expect(replies.map(({ status }) => status).sort()).toEqual([expect.any(Number), 412, 412, 412])
    expect(Math.min(...replies.map(({ status }) => status))).toBeLessThan(300)
  })

  test('a response can be changed with its ETag while the survey receives other responses', async () => {
    await kept.restore()
    const address = '/api/v3/surveys/14/responses/1207/'
    let done = false
    const submissions = Array.from({ length: 8 }, async () => {
      while (!done) expect((await owner.post('/api/v3/surveys/14/responses/', { json: { q1: 0 } })).status).toBe(201)
    })
    for (let n = 0; n < 10; n += 1) {
      const before = await owner.get(address)
      const replies = await Promise.all(
        [1, 2, 3].map((one) => put(address, { q3: `Text ${n} ${one}` }, etagOf(before))),
      )
      expect(replies.map(({ status }) => status).sort()).toEqual([202, 412, 412])
    }
    done = true
    await Promise.all(submissions)
  }, 60_000)
})
