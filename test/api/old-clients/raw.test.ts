import { beforeAll, describe, expect, it } from '@jest/globals'
import { sendRaw } from '../../support/raw.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number

beforeAll(async () => {
  ann = await world.person()
  const structure = {
    title: 'Café',
    form: [{ children: [{ idname: 'text-response', id: 'q1', title: 'Name?' }] }],
  }
  survey = (await ann.post('/api/v2/surveys/', { json: structure })).body.id
})

/** One request as bytes on a socket; text is written in ISO-8859-1, one byte a character. */
async function send(method: string, path: string, lines: readonly string[] = [], body = '') {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: ${ann.authorization}`,
    ...(body ? [`Content-Length: ${body.length}`] : []),
    ...lines,
  ]
  const { status, body: text } = await sendRaw(world.base, Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
  return { status, text }
}

const FORM = 'Content-Type: application/x-www-form-urlencoded'
const newest = async () => (await ann.get(`/api/v3/surveys/${survey}/responses/?page_size=200`)).body.results.at(-1)

describe('bytes of old clients', () => {
  it.each([
    ['raw bytes', 'q1=Andr\xe9'],
    ['percent-encoded bytes', 'q1=Andr%E9'],
    ['capitals and both', 'q1=%41ndr%e9'],
  ])('a form in ISO-8859-1 that says so: %s', async (_, body) => {
    const reply = await send('POST', `/api/v2/surveys/${survey}/responses/`, [`${FORM}; charset=ISO-8859-1`], body)
    expect(reply.status).toBe(200)
    expect((await newest()).q1).toBe('André')
  })

  it('a form in ISO-8859-1 that does not say so is refused, not stored as something else', async () => {
    for (const body of ['q1=Andr\xe9', 'q1=Andr%E9'])
      expect((await send('POST', `/api/v2/surveys/${survey}/responses/`, [FORM], body)).status).toBe(400)
  })

  it('JSON in UTF-8 with a byte order mark, as .NET writes it', async () => {
    const body = Buffer.from('\uFEFF{"q1":"André"}').toString('latin1')
    const reply = await send('POST', `/api/v3/surveys/${survey}/responses/`, ['Content-Type: application/json'], body)
    expect(reply.status).toBe(201)
    expect((await newest()).q1).toBe('André')
  })

  it('X-HTTP-Method-Override in any case, with and without a body', async () => {
    const contact = (await ann.post('/api/v3/contacts/', { form: { name: 'Bob', email: 'bob@example.org' } })).body
    const path = new URL(contact.contact_uri).pathname
    const put = await send('POST', path, [FORM, 'x-http-method-override: put'], 'name=Bert')
    expect([put.status, JSON.parse(put.text).name]).toEqual([200, 'Bert'])
    const patch = await send('POST', path, ['X-HTTP-Method-Override: PATCH', 'Content-Length: 0'])
    expect([patch.status, JSON.parse(patch.text).code]).toEqual([405, 'method_not_allowed'])
    const removed = await send('POST', path, ['X-HTTP-Method-Override: DELETE', 'Content-Length: 0'])
    expect([removed.status, removed.text]).toEqual([200, '"OK"'])
    expect((await ann.get(path)).status).toBe(404)
  })

  it('X-HTTP-Method-Override over GET changes nothing', async () => {
    const path = `/api/v3/surveys/${survey}/`
    expect((await send('GET', path, ['X-HTTP-Method-Override: DELETE'])).status).toBe(200)
    expect((await ann.get(path)).status).toBe(200)
  })

  it.each([
    '/api/v2/me?format=json',
    '/api/v3/surveys/?_=1400000000',
    '/api/v3/surveys/?format=json&page=1&page_size=2&_created_at%3E2013-11-04=',
    '/api/v2/surveys/?limit=0',
  ])('GET %s with a Content-Type and no body', async (path) => {
    expect((await send('GET', path, ['Content-Type: application/json'])).status).toBe(200)
  })

  it('a filter with a raw > and an = behind its value', async () => {
    const reply = await send('GET', `/api/v3/surveys/${survey}/responses/?_created_at>2013-11-04=`)
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.text).count).toBeGreaterThan(0)
  })

  it('the default Accept of Java gets JSON with credentials', async () => {
    const accept = 'Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'
    for (const path of ['/api/v3/', '/api/v3', '/api/v2/'])
      expect((await send('GET', path, [accept])).text.startsWith('{')).toBe(true)
  })

  it('contacts[] as PHP writes it, and live=True as Python does', async () => {
    const list = JSON.parse((await send('POST', '/api/v2/contact-lists/', [FORM], 'name=L')).text).list
    const contact = JSON.parse((await send('POST', '/api/v2/contacts/', [FORM], 'name=B&email=b@x.org')).text).contact
    const path = new URL(list.contacts_uri).pathname
    const added = await send('POST', path, [FORM], `contacts%5B%5D=${contact.id}`)
    expect(added.text).toBe('{"added":1}')
    const live = JSON.parse((await send('POST', '/api/v3/surveys/', [FORM], 'name=Live&live=False')).text)
    expect(live.live).toBe(0)
  })
})
