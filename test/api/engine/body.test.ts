import { describe, expect, it } from '@jest/globals'
import { fieldErrorsIn, useService } from './service.ts'

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

describe('form bodies [spec 2.2]', () => {
  it('keep names verbatim and collect repeated names into lists', async () => {
    const body = await parsedBody(
      'q1%5Cother=a+b&q%5B1%5D=c&e.f=1&q1=x&q1=y&q1=z&flag&__proto__=p&toString=t&%C3%A9=100%',
      FORM,
    )
    expect(Object.entries(body)).toEqual([
      ['q1\\other', 'a b'],
      ['q[1]', 'c'],
      ['e.f', '1'],
      ['q1', ['x', 'y', 'z']],
      ['flag', ''],
      ['__proto__', 'p'],
      ['toString', 't'],
      ['é', '100%'],
    ])
  })
  it('are coerced and completed with defaults by their schema', async () => {
    const body = 'name=n&share=0.5&hidden=yes&ids=1&ids=2&settings=%7B%22a%22%3A1%7D'
    const reply = await service.post('/things/', { body, ...typed(FORM) })
    expect(reply.body.body).toEqual({ name: 'n', live: 1, share: 0.5, hidden: true, ids: [1, 2], settings: { a: 1 } })
  })
  it('are assumed for a body without Content-Type', async () => {
    const reply = await service.raw(
      'PUT /api/things/7/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 7\r\n\r\na=1&b=2',
    )
    expect(reply).toContain('"body":{"a":"1","b":"2"}')
  })
  it('accept True and 1 as flags, and brackets after the name of a list', async () => {
    const body = 'name=n&live=True&hidden=1&ids[]=1&ids%5B%5D=2'
    const reply = await service.post('/things/', { body, ...typed(FORM) })
    expect(reply.body.body).toEqual({ name: 'n', live: 1, hidden: true, ids: [1, 2] })
    expect(await parsedBody('q1[]=a', FORM)).toEqual({ 'q1[]': 'a' })
  })
  it.each(['iso-8859-1', 'ISO-8859-1', '"iso-8859-1"', 'windows-1252'])(
    'are decoded as %s when the charset names it',
    async (charset) => {
      const body = Buffer.from('name=Andr\xe9+%C9mile%80&caf%E9=%e9\xe9%26&plain=%41', 'latin1')
      const type = `${FORM}; charset=${charset}`
      expect(await parsedBody(body, type)).toEqual({ name: 'André Émile€', café: 'éé&', plain: 'A' })
      expect((await service.put('/things/7/', { body, ...typed(FORM) })).status).toBe(400)
    },
  )
  it('are parsed from multipart, with files as text', async () => {
    const data = new FormData()
    data.append('q1\\other', 'ä')
    data.append('ids', '1')
    data.append('ids', '2')
    data.append('list', new Blob(['a\r\nb']), 'list.txt')
    data.append('__proto__', 'p')
    const reply = await fetch(`${service.base}/api/things/7/`, { method: 'PUT', body: data })
    expect(Object.entries(((await reply.json()) as { body: object }).body)).toEqual([
      ['q1\\other', 'ä'],
      ['ids', ['1', '2']],
      ['list', 'a\r\nb'],
      ['__proto__', 'p'],
    ])
  })
  it.each([
    ['a=1%00', 'a: must not contain the character U+0000'],
    ['a%00=1', 'a\uFFFD: must not contain the character U+0000'],
    ['a=100%&b=%C3%A9&c=%C3x', 'c: must be percent-encoded UTF-8'],
    ['a=%25C3&b=é%A9', 'b: must be percent-encoded UTF-8'],
  ])('return 400 for %s', async (body, fieldError) => {
    expect(fieldErrorsIn(await service.put('/things/7/', { body, ...typed(FORM) }))).toEqual([fieldError])
  })
})

describe('JSON bodies [spec 2.2]', () => {
  it('return all errors in one reply', async () => {
    const reply = await service.post('/things/', {
      json: { name: 'n', live: 2, share: '2', hidden: 'perhaps', choices: [{ label: 'x' }, {}] },
    })
    expect(reply.status).toBe(400)
    expect(fieldErrorsIn(reply)).toEqual([
      'live: must be 0 or 1',
      'share: must be at most 1',
      'hidden: must be true or false',
      'choices[1].label: is required',
    ])
  })
  it.each([
    [{ live: '1' }, { live: 1 }],
    [{ live: true }, { live: 1 }],
    [{ live: 'False' }, { live: 0 }],
    [{ share: '0.5' }, { share: 0.5 }],
    [{ hidden: 1 }, { hidden: true }],
    [{ hidden: 'True' }, { hidden: true }],
    [{ hidden: '0' }, { hidden: false }],
    [{ ids: ['1', 2] }, { ids: [1, 2] }],
    [{ name: 1 }, 400],
    [{ share: true }, 400],
    [{ share: ' ' }, 400],
    [{ ids: '1' }, 400],
  ])('convert %j to the declared number or flag, or return 400 if they cannot', async (json, parsed) => {
    const { status, body } = await service.post('/things/', { json: { name: 'n', ...json } })
    expect(status === 200 ? body.body : status).toEqual(
      parsed === 400 ? 400 : { name: 'n', live: 1, ...(parsed as object) },
    )
  })
  it('may begin with a byte order mark', async () => {
    expect(await parsedBody('\uFEFF{"a":1}', JSON_TYPE)).toEqual({ a: 1 })
  })
  it.each(['{"a":', 'nonsense', "{'a':1}"])('return 400 for the malformed text %s', async (body) => {
    const reply = await service.put('/things/7/', { body, ...typed(JSON_TYPE) })
    expect([reply.status, reply.body.code]).toEqual([400, 'malformed_request'])
  })
  it.each(['[]', '"x"', '3', 'null'])('return 400 for %s, which is not an object', async (body) => {
    expect(fieldErrorsIn(await service.put('/things/7/', { body, ...typed(JSON_TYPE) }))).toEqual([
      'body: must be an object',
    ])
  })
  it.each([
    ['{"a":{"b":["x","\\u0000"]}}', 'a.b[1]: must not contain the character U+0000'],
    ['{"a":"\\ud800"}', 'a: must be well-formed Unicode'],
    ['{"\\udc00":1}', '\uFFFD: must be well-formed Unicode'],
    ['{"a":{"__proto__":1}}', 'a.__proto__: is a reserved name'],
    [`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'a[0][0][0]: must be nested at most 64 levels deep'],
  ])('return 400 with the position in %.30s', async (body, fieldError) => {
    const reply = await service.put('/things/7/', { body, ...typed(JSON_TYPE) })
    expect(reply.status).toBe(400)
    expect(fieldErrorsIn(reply)).toEqual([fieldError])
  })
  it('may nest 64 levels', async () => {
    const body = `{"a":${'['.repeat(63)}${']'.repeat(63)}}`
    expect(JSON.stringify(await parsedBody(body, `${JSON_TYPE}; charset=utf-8`))).toBe(body)
  })
  it('return only one error for a large body', async () => {
    const choices = Array.from({ length: 40_000 }, () => ({}))
    const reply = await service.post('/things/', { json: { name: 'n', choices } })
    expect(fieldErrorsIn(reply)).toEqual(['choices[0].label: is required'])
  })
})

describe('empty bodies [spec 2.2]', () => {
  it('are read as an empty form, whatever their type', async () => {
    expect((await service.put('/things/7/', typed('text/plain'))).body.body).toEqual({})
    const reply = await service.post('/things/', typed('application/xml'))
    expect(fieldErrorsIn(reply)).toEqual(['name: is required'])
  })
  it('may be chunked', async () => {
    const head = 'PUT /api/things/7/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n'
    expect(await service.raw(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toContain('"body":{}')
  })
})

describe('request bodies [spec 2.2]', () => {
  it('are passed as text if they are CSV and the operation declares CSV', async () => {
    expect(await parsedBody('\uFEFFa,b\r\n1,é', 'text/csv; charset=utf-8')).toBe('a,b\r\n1,é')
    const reply = await service.post('/things/', { body: 'a,b', ...typed('text/csv') })
    expect([reply.status, reply.headers.get('accept')]).toEqual([
      415,
      'application/json, application/x-www-form-urlencoded, multipart/form-data',
    ])
  })
  it.each(['text/plain', 'application/xml', 'nonsense'])('return 415 for %s', async (type) => {
    expect((await service.put('/things/7/', { body: 'x', ...typed(type) })).status).toBe(415)
  })
  it('are accepted for DELETE', async () => {
    expect((await service.delete('/things/7/', { body: 'id=1', ...typed(FORM) })).body.body).toEqual({ id: '1' })
  })
  it('may have a multipart preamble, and a boundary over 70 characters returns 400', async () => {
    const body = 'preamble\r\n--b b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b b--\r\n'
    expect(await parsedBody(body, 'multipart/form-data; boundary="b b"')).toEqual({ a: '1' })
    const long = 'b'.repeat(71)
    const type = `multipart/form-data; boundary=${long}`
    expect((await service.put('/things/7/', { body: body.replaceAll('b b', long), ...typed(type) })).status).toBe(400)
  })

  it('return 400 for multipart without its boundary', async () => {
    expect((await service.put('/things/7/', { body: 'x', ...typed('multipart/form-data') })).status).toBe(400)
    expect((await service.put('/things/7/', { body: 'x', ...typed('multipart/form-data; boundary=b') })).status).toBe(
      400,
    )
  })
})
