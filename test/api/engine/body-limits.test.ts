import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { MAX_BODY_BYTES } from '../../../src/api/engine/body.ts'
import { MAX_FIELDS } from '../../../src/api/engine/form.ts'
import { MAX_VALUES } from '../../../src/lib/json.ts'
import { useService } from './service.ts'

const service = useService()
const typed = (type: string) => ({ headers: { 'content-type': type } })
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
/** Returns the body that the handler receives. */
const parsedBody = async (body: string | Uint8Array<ArrayBuffer>, type: string) => {
  const reply = await service.put('/things/7/', { body, ...typed(type) })
  expect(reply.status).toBe(200)
  return reply.body.body
}

describe('limits of a request body', () => {
  const tooLarge = async (body: string, type: string) => {
    const reply = await service.put('/things/7/', { body, ...typed(type) })
    expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large'])
    return reply.body.message
  }
  const parts = (count: number) =>
    `preamble\r\n${'--b\r\nContent-Disposition: form-data; name="ids"\r\n\r\n1\r\n'.repeat(count)}--b--\r\n`
  const fields = (count: number) => 'ids=1&'.repeat(count).slice(0, -1)
  const MULTIPART = 'multipart/form-data; boundary=b'

  it.each([
    [FORM, fields],
    [MULTIPART, parts],
  ])('accept 20,000 fields in %s and reject more', async (type, bodyOf) => {
    expect(((await parsedBody(bodyOf(MAX_FIELDS), type)) as { ids: unknown[] }).ids).toHaveLength(MAX_FIELDS)
    expect(await tooLarge(bodyOf(MAX_FIELDS + 1), type)).toBe('The form has more than 20,000 fields.')
  })
  it('accept 100,000 values in JSON and reject more', async () => {
    const list = (count: number) => `{"ids":[1${',1'.repeat(count - 1)}]}`
    // The object and the list also count as values.
    expect(((await parsedBody(list(MAX_VALUES - 2), JSON_TYPE)) as { ids: unknown[] }).ids).toHaveLength(MAX_VALUES - 2)
    expect(await tooLarge(list(MAX_VALUES - 1), JSON_TYPE)).toBe('The body has more than 100,000 values.')
    const members = Array.from({ length: MAX_VALUES }, (_, n) => `"m${n}":1`)
    await tooLarge(`{${members}}`, JSON_TYPE)
    await tooLarge(`{"a":[${'[],'.repeat(MAX_VALUES)}[]]}`, JSON_TYPE)
  })
  it('restrict the headers of a multipart part to 16 KB, as Node.js restricts those of a request', async () => {
    const body = `--b\r\nContent-Disposition: form-data; name="a"\r\n${'X: 1\r\n'.repeat(10_000)}\r\n1\r\n--b--\r\n`
    expect((await service.put('/things/7/', { body, ...typed(MULTIPART) })).status).toBe(400)
  })
  it('do not count the content of texts', async () => {
    const text = ',[{\\"'.repeat(50_000)
    expect(await parsedBody(JSON.stringify({ a: [text, text] }), JSON_TYPE)).toEqual({ a: [text, text] })
  })
  it('count the values of JSON in a form field as those of a JSON body', async () => {
    const body = new URLSearchParams({ name: 'n', settings: `{"a":[${'[],'.repeat(MAX_VALUES)}[]]}` })
    expect((await service.post('/things/', { body: String(body), ...typed(FORM) })).status).toBe(413)
  })
})

describe('the size and encoding of a request body', () => {
  const gzip = { headers: { 'content-type': FORM, 'content-encoding': 'gzip' } }
  it('inflates a compressed body', async () => {
    const reply = await service.put('/things/7/', { body: gzipSync('a=1'), ...gzip })
    expect(reply.body.body).toEqual({ a: '1' })
  })
  it('returns 400 for broken gzip', async () => {
    expect((await service.put('/things/7/', { body: 'a=1', ...gzip })).status).toBe(400)
    expect(
      (await service.put('/things/7/', { body: gzipSync('a=1'.repeat(1000)).subarray(0, 15), ...gzip })).status,
    ).toBe(400)
  })
  it('returns 415 for an unknown encoding', async () => {
    const headers = { 'content-type': FORM, 'content-encoding': 'zip' }
    expect((await service.put('/things/7/', { body: 'a=1', headers })).status).toBe(415)
  })
  it('accepts 10 MB and returns 413 for more, even if the compressed body is smaller', async () => {
    const largest = `a=${'x'.repeat(MAX_BODY_BYTES - 2)}`
    expect((await service.put('/things/7/', { body: largest, ...typed(FORM) })).status).toBe(200)
    expect((await service.put('/things/7/', { body: `${largest}x`, ...typed(FORM) })).status).toBe(413)
    expect((await service.put('/things/7/', { body: gzipSync(`${largest}x`), ...gzip })).status).toBe(413)
  })
  it('returns 413 for a large chunked body', async () => {
    const chunk = 'x'.repeat(1024 * 1024)
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 11; i++) controller.enqueue(new TextEncoder().encode(chunk))
        controller.close()
      },
    })
    const sent: RequestInit & { duplex: 'half' } = { method: 'PUT', body, duplex: 'half', ...typed(FORM) }
    expect((await fetch(`${service.base}/api/things/7/`, sent)).status).toBe(413)
  })
  it('opens no transaction for a client that disconnects during the body', async () => {
    const head = `PUT /api/things/7/ HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: 100\r\n\r\n`
    await service.raw(`${head}a=1`, 200)
    await service.get('/me')
    expect(service.steps).toEqual(['handler'])
    expect(service.logged).toEqual([])
  })
})
