import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import type { Downloaded } from '../../support/download.ts'
import { questions } from '../../support/export-sample.ts'
import { storeResponses } from '../../support/exports.ts'
import { useLongExport } from '../../support/long-export.ts'
import type { Person } from '../../support/world.ts'

const long = useLongExport(9_000)
const { get, world } = long
let ann: Person
let here: string
let there: string
const path = (below: string) => `/api/v3/surveys/${long.survey.id}/${below}`

beforeAll(() => {
  ;({ ann, here, there } = long)
})

describe('exportCsv with Range', () => {
  const query = '?_completed=1&include=name'
  let whole: Downloaded
  const range = (field: string, url = here) => get(url + query, { range: field })

  beforeAll(async () => {
    whole = await get(here + query)
  })

  test.each([
    ['the first bytes', (_: number) => 'bytes=0-99', (n: number) => [0, Math.min(100, n)]],
    ['one byte', () => 'bytes=70000-70000', () => [70_000, 70_001]],
    ['a part in the middle', () => 'bytes=1000000-2100000', () => [1_000_000, 2_100_001]],
    ['the whole file', () => 'bytes=0-', (n: number) => [0, n]],
    ['an end after the file', (n: number) => `bytes=${n - 5}-${n + 100}`, (n: number) => [n - 5, n]],
    ['the last bytes', () => 'Bytes=-1000', (n: number) => [n - 1000, n]],
    ['more last bytes than there are', () => 'bytes=-99999999999', (n: number) => [0, n]],
  ])('returns 206 with %s', async (_, field, expected) => {
    const { length } = whole.bytes
    const [start, end] = expected(length) as [number, number]
    for (const url of [here, there]) {
      const part = await range(field(length), url)
      expect(part.status).toBe(206)
      expect(part.headers['content-range']).toBe(`bytes ${start}-${end - 1}/${length}`)
      expect(part.headers['content-length']).toBe(String(end - start))
      expect(part.headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(part.bytes.equals(whole.bytes.subarray(start, end))).toBe(true)
    }
  })

  test.each(['bytes=5-4', 'bytes=0-1,5-6', 'bytes=-', 'bytes=a-', 'lines=0-5', 'bytes 0-5', ''])(
    'ignores %s',
    async (field) => {
      const reply = await range(field)
      expect(reply.status).toBe(200)
      expect(reply.headers['content-range']).toBeUndefined()
      expect(reply.bytes.equals(whole.bytes)).toBe(true)
    },
  )

  test('returns 416 with the length for a range after the end', async () => {
    for (const url of [here, there])
      for (const field of [`bytes=${whole.bytes.length}-`, 'bytes=99999999999999999999-', 'bytes=-0']) {
        const reply = await range(field, url)
        expect(reply.status).toBe(416)
        expect(reply.headers['content-range']).toBe(`bytes */${whole.bytes.length}`)
        expect(JSON.parse(String(reply.bytes))).toMatchObject({ status: 416, code: 'range_not_satisfiable' })
      }
  })

  test('ignores Range for HEAD, and returns the headers of GET', async () => {
    const reply = await ann.head(here + query, { headers: { range: 'bytes=5-' } })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-range')).toBeNull()
    for (const name of ['etag', 'accept-ranges', 'content-type', 'content-disposition'])
      expect(reply.headers.get(name)).toBe(whole.headers[name])
    expect(whole.headers['accept-ranges']).toBe('bytes')
  })
})

describe('exportCsv after a change', () => {
  const query = '?include=name&include_labels=1'
  const from = (etag: string) => get(here + query, { range: 'bytes=100-', 'if-range': etag }, 1000)
  const tagOf = async (url = here + query) => (await ann.head(url)).headers.get('etag')!

  test('returns 200 with the new file if the ETag in If-Range is outdated', async () => {
    const { headers } = await get(here + query, {}, 1000)
    const etag = headers.etag!
    expect((await from(etag)).status).toBe(206)
    const [id] = await storeResponses(world, long.survey, [{ answers: { name: 'late' } }])
    const after = await get(here + query, { range: 'bytes=100-', 'if-range': etag })
    expect(after.status).toBe(200)
    expect(after.headers.etag).not.toBe(etag)
    expect(String(after.bytes)).toMatch(/^_completed,/)
    expect(String(after.bytes)).toContain(`,${id},`)
  })

  test.each([
    ['a weak ETag', (etag: string) => `W/${etag}`],
    ['a date', () => 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['a text that is not an ETag', () => 'tea'],
  ])('returns 200 to If-Range with %s', async (_, field) => {
    expect((await from(field(await tagOf()))).status).toBe(200)
  })

  test.each([
    ['an edited response', (id: number) => ann.put(path(`responses/${id}/`), { json: { name: 'x' } })],
    ['a deleted response', (id: number) => ann.delete(path(`responses/${id}/`))],
    ['a changed setting', () => ann.put(path('settings/'), { json: { closed_message: 'Later' } })],
    [
      'a changed structure',
      () =>
        ann.put(path('structure/'), {
          json: { title: 'Long', form: [{ children: questions }] },
        }),
    ],
    [
      'a renamed collector',
      () => ann.put(`/api/v3/collectors/${long.survey.defaultCollector.id}/`, { json: { name: 'Web' } }),
    ],
  ])('has another ETag after %s', async (_, change) => {
    const [id] = await storeResponses(world, long.survey, [{ answers: { name: 'new' } }])
    const before = await tagOf()
    expect(await tagOf()).toBe(before)
    expect(await tagOf(there + query)).toBe(before)
    expect((await change(id!)).status).toBeLessThan(300)
    expect(await tagOf()).not.toBe(before)
  })

  test('returns a complete file after a change that is not in the change feed', async () => {
    const before = await get(here + query)
    const update = `update response set answers = answers || '{"name": "by hand"}' where id % 2 = 0 and survey_id = $1`
    await world.application.services.pool.query(update, [long.survey.id])
    for (const _ of ['stale length', 'new length']) {
      const after = await get(here + query)
      expect(after.bytes.length).toBeLessThan(before.bytes.length)
      expect(String(after.bytes)).toMatch(/,last,?\r\n|,late/)
    }
    const part = await get(here + query, { range: 'bytes=-10' })
    expect(part.bytes.equals((await get(here + query)).bytes.subarray(-10))).toBe(true)
  })

  test('has an ETag for each query', async () => {
    const queries = [
      '',
      '?bom=1',
      '?include_labels=1',
      '?include=name',
      '?name=last',
      '?ids=1',
      '?inverted=1',
      '?language=fr',
    ]
    const tags = await Promise.all(queries.map((each) => tagOf(here + each)))
    expect(new Set(tags).size).toBe(queries.length)
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{27}"$/)
    expect(await tagOf(`${here}?comma_separated=1`)).toBe(tags[0])
  })

  test('has another ETag for a saved filter that was replaced', async () => {
    const filters = path('filters/')
    await ann.post(filters, { json: { name: 'some', query: 'colour=0' } })
    const before = await tagOf(`${here}?filter=some`)
    await ann.delete(`${filters}?name=some`)
    await ann.post(filters, { json: { name: 'some', query: 'colour=1' } })
    expect(await tagOf(`${here}?filter=some`)).not.toBe(before)
  })
})

describe('exportCsv of a whole file', () => {
  /** Sends a request in HTTP/1.0. @returns the header and the body, as far as they arrive */
  async function old(address: string): Promise<{ head: string; body: Buffer; error?: unknown }> {
    const { hostname, port, pathname, search } = new URL(address)
    const client = connect(Number(port), hostname)
    client.write(`GET ${pathname}${search} HTTP/1.0\r\nAuthorization: ${ann.authorization}\r\n\r\n`)
    const chunks: Buffer[] = []
    const error = await new Promise((resolve) => {
      client.on('data', (chunk) => chunks.push(chunk))
      client.once('error', resolve).once('end', resolve)
    })
    const received = Buffer.concat(chunks)
    const end = received.indexOf('\r\n\r\n')
    return { head: received.subarray(0, end).toString(), body: received.subarray(end + 4), error }
  }

  test('ends with the number of rows for a client that accepts trailers', async () => {
    const address = `${here}?include=name&_completed=1`
    const reply = await get(address, { te: 'trailers;q=0.5, deflate' })
    const rows = reply.bytes.toString().match(/\r\nComplete,/g)!.length
    expect([reply.headers.trailer, reply.trailers]).toEqual(['X-Row-Count', { 'x-row-count': String(rows) }])
    const unasked = await get(address)
    expect([unasked.headers.trailer, unasked.trailers]).toEqual([undefined, {}])
  })

  test('has its length in HTTP/1.0 if it is known, and never fewer bytes than it promises', async () => {
    const address = `${here}?ids=1,2&include=name`
    const before = await get(address)
    const lengthOf = ({ head }: { head: string }) => /content-length: (\d+)/i.exec(head)?.[1]
    const whole = await old(address)
    expect([lengthOf(whole), whole.body]).toEqual([String(before.bytes.length), before.bytes])
    for (const text of ['', 'longer '.repeat(100)]) {
      // A change that is not in the change feed.
      await world.application.services.pool.query(
        `update response set answers = jsonb_set(answers, '{name}', to_jsonb($2::text)) where survey_id = $1 and id = 2`,
        [long.survey.id, text],
      )
      const broken = await old(address)
      expect([broken.error, broken.body.length < Number(lengthOf(broken))]).toMatchObject([
        { code: 'ECONNRESET' },
        true,
      ])
      const after = await old(address)
      expect([lengthOf(after), after.error]).toEqual([String(after.body.length), undefined])
      expect(after.body).toEqual((await get(address)).bytes)
    }
  })
})

describe('exportCsv with If-None-Match', () => {
  const some = (list: string) => ann.get(`${here}?ids=1`, { headers: { 'if-none-match': list } })

  test('returns 304 without a body for the current ETag, and runs no export [spec 7.10]', async () => {
    const etag = (await ann.head(`${here}?ids=1`)).headers.get('etag')!
    const { pool } = world.application.services
    const connections = pool.totalCount
    for (const list of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await some(list)
      expect([reply.status, reply.text, reply.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect(pool.totalCount).toBeLessThanOrEqual(connections)
    const part = await get(`${here}?ids=1`, { 'if-none-match': etag, range: 'bytes=99999-' })
    expect(part.status).toBe(304)
    expect((await ann.head(`${here}?ids=1`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('returns the file for another ETag', async () => {
    const reply = await some('"other"')
    expect(reply.status).toBe(200)
    expect(reply.text).toMatch(/^_completed,/)
  })

  test('returns 404 to another account, whatever If-None-Match contains', async () => {
    const bob = await world.person()
    for (const [name, value] of Object.entries({ 'if-none-match': '*', range: 'bytes=5-' }))
      expect((await bob.get(here, { headers: { [name]: value } })).status).toBe(404)
  })
})

describe('exportCsv with a Range, when the client disconnects before the length is known', () => {
  test('releases the connection to the database', async () => {
    const holder = new pg.Client(world.databaseUrl)
    await holder.connect()
    try {
      // The query that measures the length of the file waits for this lock.
      await holder.query('begin; lock table response in access exclusive mode')
      const aborted = new AbortController()
      const headers = { authorization: ann.authorization!, range: 'bytes=5-' }
      const sent = fetch(`${here}?name=unmeasured`, { headers, signal: aborted.signal })
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await holder.query(waiting)).rowCount === 0) await pause(10)
      expect(long.busy()).toBe(1)
      aborted.abort()
      await expect(sent).rejects.toThrow()
      await long.idle()
    } finally {
      await holder.end()
    }
  })
})
