import { beforeAll, describe, expect, it } from '@jest/globals'
import { sendRaw } from '../../support/raw.ts'
import { makeSurvey } from '../../support/responses.ts'
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
  survey = await makeSurvey(ann, structure)
})

/** Sends a raw request. The text is encoded in ISO-8859-1. */
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

describe('a raw request of an old client', () => {
  it.each([
    ['raw bytes', 'q1=Andr\xe9'],
    ['percent-encoded bytes', 'q1=Andr%E9'],
    ['percent-encoded letters and bytes', 'q1=%41ndr%e9'],
  ])('can contain a form in ISO-8859-1 with a charset: %s', async (_, body) => {
    const reply = await send('POST', `/api/v2/surveys/${survey}/responses/`, [`${FORM}; charset=ISO-8859-1`], body)
    expect(reply.status).toBe(200)
    expect((await newest()).q1).toBe('André')
  })

  it('returns 400 for a form in ISO-8859-1 without a charset', async () => {
    for (const body of ['q1=Andr\xe9', 'q1=Andr%E9'])
      expect((await send('POST', `/api/v2/surveys/${survey}/responses/`, [FORM], body)).status).toBe(400)
  })

  it('can contain JSON in UTF-8 with a byte order mark, as from .NET', async () => {
    const body = Buffer.from('\uFEFF{"q1":"André"}').toString('latin1')
    const reply = await send('POST', `/api/v3/surveys/${survey}/responses/`, ['Content-Type: application/json'], body)
    expect(reply.status).toBe(201)
    expect((await newest()).q1).toBe('André')
  })

  it('can replace the method of a POST with X-HTTP-Method-Override, in upper or lower case, with or without a body', async () => {
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

  it('cannot replace the method of a GET with X-HTTP-Method-Override', async () => {
    const path = `/api/v3/surveys/${survey}/`
    expect((await send('GET', path, ['X-HTTP-Method-Override: DELETE'])).status).toBe(200)
    expect((await ann.get(path)).status).toBe(200)
  })

  it.each([
    '/api/v2/me?format=json',
    '/api/v3/surveys/?_=1400000000',
    '/api/v3/surveys/?format=json&page=1&page_size=2&_created_at%3E2013-11-04=',
    '/api/v2/surveys/?limit=0',
  ])('can be GET %s with a Content-Type and without a body', async (path) => {
    expect((await send('GET', path, ['Content-Type: application/json'])).status).toBe(200)
  })

  it('can contain a filter with an unencoded > and a trailing =', async () => {
    const reply = await send('GET', `/api/v3/surveys/${survey}/responses/?_created_at>2013-11-04=`)
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.text).count).toBeGreaterThan(0)
  })

  it('receives JSON for the default Accept header of Java', async () => {
    const accept = 'Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'
    for (const path of ['/api/v3/', '/api/v3', '/api/v2/'])
      expect((await send('GET', path, [accept])).text.startsWith('{')).toBe(true)
  })

  it('can contain contacts[], as from PHP, and live=False, as from Python', async () => {
    const list = JSON.parse((await send('POST', '/api/v2/contact-lists/', [FORM], 'name=L')).text).list
    const contact = JSON.parse((await send('POST', '/api/v2/contacts/', [FORM], 'name=B&email=b@x.org')).text).contact
    const path = new URL(list.contacts_uri).pathname
    const added = await send('POST', path, [FORM], `contacts%5B%5D=${contact.id}`)
    expect(added.text).toBe('{"added":1}')
    const live = JSON.parse((await send('POST', '/api/v3/surveys/', [FORM], 'name=Live&live=False')).text)
    expect(live.live).toBe(0)
  })
})
