import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { counts, makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let v2: string
let v3: string
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann)
  v2 = `/api/v2/surveys/${survey}/responses/`
  v3 = `/api/v3/surveys/${survey}/responses/`
})

const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } })
const form = (body: string) => ({ body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
const csv = (body: string) => ({ body, headers: { 'content-type': 'text/csv' } })

/** Sends a raw request. @returns the status of the reply, or 0 without a reply */
function raw(head: string, body = '', disconnect = false): Promise<number> {
  const { hostname, port } = new URL(world.base)
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname)
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
      if (reply.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('error', (error) => (disconnect ? resolve(0) : reject(error)))
    socket.on('close', () => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(reply)?.[1] ?? 0)))
    socket.write(`${head}\r\nHost: ${hostname}\r\nAuthorization: ${ann.authorization}\r\n`)
    socket.write(body, () => disconnect && socket.destroy())
  })
}

describe('createResponse with extreme input', () => {
  const deep = `{"q3":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  test.each([
    ['a NUL in JSON', json('{"q3":"a\\u0000b"}')],
    ['a NUL in a name', json('{"q3\\u0000":"a"}')],
    ['a NUL in a form', form('q3=a%00b')],
    ['a NUL in CSV', csv('q1,q3\n0,a\u0000b\n')],
    ['half of a surrogate pair', json('{"q3":"\\ud800"}')],
    ['half of a surrogate pair in a name', json('{"\\udfff":"x"}')],
    ['JSON with 100,000 levels', json(deep)],
    ['JSON that is not an object', json('[1,2,3]')],
    ['JSON that is a text', json('"q1"')],
    ['JSON that is null', json('null')],
    ['an incomplete JSON text', json('{"q1":')],
    ['__proto__', json('{"__proto__":{"q1":1}}')],
    ['a number beyond all choices', json('{"q1":1e308}')],
    [
      'ten thousand unknown questions',
      json(JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, i])))),
    ],
    ['a text above the maximum length', json(JSON.stringify({ q3: 'x'.repeat(200_000) }))],
  ])('returns 400, or survey_error in v2, for %s', async (_, sent) => {
    const before = await counts(world, survey)
    const replies = [await ann.post(v2, sent)]
    if (sent.headers['content-type'] !== 'text/csv') replies.push(await ann.post(v3, sent))
    for (const { status, body } of replies)
      expect([status, body.code]).toEqual(
        status === 500 ? [500, 'survey_error'] : [400, expect.not.stringMatching('server_error')],
      )
    expect(await counts(world, survey)).toEqual(before)
  })

  test('returns 400 or survey_error for names of Object.prototype as questions', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      expect((await ann.post(v3, { json: { [name]: 'x' } })).status).toBe(400)
      expect((await ann.post(v2, { json: { q1: '0', [name]: 'x' } })).body.code).toBe('survey_error')
    }
  })

  test('returns 413 for a body of more than 10 MB of any type, with and without Content-Length', async () => {
    const large = 'x'.repeat(10 * 1024 * 1024)
    for (const sent of [json(`{"q3":"${large}"}`), form(`q3=${large}`), csv(`q3\n${large}\n`)])
      expect((await ann.post(v2, sent)).body.code).toBe('body_too_large')
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`
    const head = `POST ${v3} HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json`
    expect(await raw(head, `\r\n${chunk.repeat(170)}`)).toBe(413)
  })

  test('stores all rows of a large CSV below the limit', async () => {
    const id = await makeSurvey(ann)
    const rows = 20_000
    const reply = await ann.post(
      `/api/v2/surveys/${id}/responses/`,
      csv(`q1,q3\n${'0,some text of a respondent\n'.repeat(rows)}`),
    )
    expect(reply.body).toMatchObject({ success: true, imported: rows })
    expect(await counts(world, id)).toEqual({ rows, feed: rows, collectors: rows })
  })

  test('returns 415 for a body of another type', async () => {
    for (const type of ['text/plain', 'application/xml', 'image/png']) {
      expect((await ann.post(v2, { body: 'q1=0', headers: { 'content-type': type } })).status).toBe(415)
      expect((await ann.post(v3, { body: 'q1=0', headers: { 'content-type': type } })).status).toBe(415)
    }
    expect((await ann.post(v3, csv('q1\n0\n'))).status).toBe(415)
  })

  test('returns a client error for %ZZ in paths and queries', async () => {
    for (const [line, status] of [
      [`POST ${v3}%ZZ/`, 404],
      [`DELETE /api/v3/surveys/%ZZ/responses/1/`, 404],
      [`GET ${v3}changes/?since=%ZZ`, 400],
      [`DELETE ${v2}?response_ids=%ZZ`, 400],
      [`PUT ${v2}1/?completed=%ZZ`, 400],
    ] as const)
      expect([line, await raw(`${line} HTTP/1.1`, 'Content-Length: 0\r\n\r\n')]).toEqual([line, status])
  })

  test('returns 404 for an unknown survey, as do the change feed and the other operations that write responses', async () => {
    for (const id of ['99999999', '0', '-1', 'abc', '1e3', '9'.repeat(30)]) {
      const at = (version: string) => `/api/${version}/surveys/${id}/responses/`
      const replies = await Promise.all([
        ann.post(at('v2'), { json: { q1: '0' } }),
        ann.post(at('v2'), csv('q1\n0\n')),
        ann.put(`${at('v2')}1/?completed=1`),
        ann.delete(`${at('v2')}?response_ids=1`),
        ann.post(at('v3'), { json: { q1: 0 } }),
        ann.put(`${at('v3')}1/`, { json: { q1: 0 } }),
        ann.delete(`${at('v3')}1/`),
        ann.get(`${at('v3')}changes/`),
      ])
      expect([id, replies.map(({ status }) => status)]).toEqual([id, replies.map(() => 404)])
    }
  })
})

describe('a client that disconnects during a POST', () => {
  const idle = () =>
    world
      .em()
      .execute<object[]>(
        `select state from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      )

  test('leaves no session idle in a transaction', async () => {
    const head = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nContent-Type: application/json`
    const { id } = (await ann.post(v3, { json: { q1: 0 } })).body
    const incomplete = Array.from({ length: 30 }, (_, n) =>
      raw(
        head(n % 3 ? 'POST' : 'PUT', n % 3 === 0 ? `${v3}${id}/` : n % 3 === 1 ? v2 : v3),
        'Content-Length: 5000\r\n\r\n{"q1":',
        true,
      ),
    )
    const complete = Array.from({ length: 30 }, (_, n) =>
      raw(head(n % 2 ? 'POST' : 'PUT', n % 2 ? v3 : `${v3}${id}/`), 'Content-Length: 8\r\n\r\n{"q1":0}', true),
    )
    await Promise.all([...incomplete, ...complete])
    // Every transaction is briefly idle between two statements. Only a session that stays idle is stuck.
    let stuck = await idle()
    for (const deadline = Date.now() + 10_000; stuck.length && Date.now() < deadline; stuck = await idle())
      await pause(100)
    expect(stuck).toEqual([])
    const after = await Promise.all(Array.from({ length: 30 }, () => ann.put(`${v3}${id}/`, { json: { q1: 1 } })))
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([202]))
  })
})
