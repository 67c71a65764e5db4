import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const LOGO = readFileSync(new URL('../../support/logo.png', import.meta.url))
let ann: Person
let id: number
let uri: string
let accountUri: string
beforeEach(async () => {
  ann = await world.person()
  id = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body.id
  uri = `/api/v3/surveys/${id}/theme/`
  accountUri = `/api/v3/users/${ann.actor.id}/theme/`
})

const survey = async () => (await fetch(`${world.base}/surveys/${ann.actor.username}/feedback/`)).text()
const sheetIn = (page: string) => /href="(\/themes\/[^"]+)"/.exec(page)?.[1]
const errorsOf = (reply: { body: { errors: { field: string; code: string }[] } }) =>
  reply.body.errors.map(({ field, code }) => [field, code])

describe('getTheme', () => {
  test('returns null for every property of the theme if the survey has no theme; the page of the survey then has no style sheet of its own', async () => {
    const { status, body, headers } = await ann.get(uri)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBeTruthy()
    expect(new Set(Object.values(body))).toEqual(new Set([null]))
    expect(sheetIn(await survey())).toBeUndefined()
  })
})

describe('updateTheme', () => {
  test('changes the given properties, keeps the others, and inherits the properties that are null [spec 5.13]', async () => {
    await ann.put(uri, { json: { accent_color: '#8A3B12', font: 'serif' } })
    const { body } = await ann.put(uri, { form: { corners: 'round', font: '' } }).then(() => ann.get(uri))
    expect(body).toMatchObject({ accent_color: '#8a3b12', font: null, corners: 'round' })
    await ann.put(uri, { json: { accent_color: null } })
    expect((await ann.get(uri)).body).toMatchObject({ accent_color: null, font: null, corners: 'round' })
    const sheet = await fetch(world.base + sheetIn(await survey()))
    expect(sheet.headers.get('cache-control')).toContain('immutable')
    expect(await sheet.text()).toContain('--radius:1.5rem')
  })

  test('changes nothing when the fetched theme is sent back', async () => {
    const link = { label: { en: 'Privacy', de: 'Datenschutz' }, url: 'https://example.org/privacy' }
    const theme = { logo: LOGO.toString('base64'), logo_text: 'Example', footer: { text: 'Ltd', links: [link] } }
    const saved = (await ann.put(uri, { json: theme })).body
    expect((await ann.put(uri, { json: saved })).body).toEqual(saved)
    expect((await ann.get(uri)).body).toEqual(saved)
  })

  test('accepts every colour; buttons have it, and links have a shade that can be read [spec 5.13]', async () => {
    expect((await ann.put(uri, { json: { accent_color: '#ffd400' } })).body.accent_color).toBe('#ffd400')
    const sheet = await (await fetch(world.base + sheetIn(await survey()))).text()
    expect(sheet).toContain('--fill:#ffd400;')
    expect(sheet).toContain('--on-fill:#000000')
    expect(sheet).not.toContain('--accent:#ffd400;--accent-deep:#ffdf40')
    expect((await ann.put(uri, { json: { background_color: '#777777' } })).status).toBe(200)
  })

  test('stores an image and serves it at its URL with its media type [spec 5.13]', async () => {
    // No other survey has this image.
    const image = Buffer.concat([LOGO, Buffer.from('own')])
    const { body } = await ann.put(uri, { json: { logo: `data:image/png;base64,${image.toString('base64')}` } })
    expect(body.logo).toMatchObject({ type: 'image/png', width: 120, height: 40 })
    const file = await fetch(body.logo.url)
    expect(Buffer.from(await file.arrayBuffer())).toEqual(image)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringContaining('immutable'),
      'content-security-policy': "default-src 'none';sandbox",
    })
    expect(await survey()).toContain(new URL(body.logo.url).pathname)
    const unchanged = await ann.put(uri, { json: { logo: { ...body.logo, note: 'Ignored \0' } } })
    expect(unchanged.body.logo).toEqual(body.logo)
    await ann.put(uri, { json: { logo: null } })
    expect((await fetch(body.logo.url)).status).toBe(404)
  })

  test('accepts the image as a file', async () => {
    const body = new FormData()
    body.set('logo', new Blob([LOGO], { type: 'image/png' }), 'logo.png')
    const headers = { authorization: `Basic ${btoa(`${ann.actor.username}:${ann.password}`)}` }
    const reply = await fetch(world.base + uri, { method: 'PUT', body, headers })
    expect(((await reply.json()) as { logo: object }).logo).toMatchObject({ width: 120 })
  })

  test.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>', 'invalid_image'],
    ['HTML', '<html><script>alert(1)</script></html>', 'invalid_image'],
    ['the beginning of a PNG', LOGO.subarray(0, 12), 'invalid_image'],
    ['a GIF', Buffer.from('GIF89a\x10\0\x10\0\0\0\0;', 'latin1'), 'invalid_image'],
    ['501,000 bytes', Buffer.concat([LOGO, Buffer.alloc(501_000)]), 'image_too_large'],
    ['a PNG of 5,000 pixels', withWidth(LOGO, 5_000), 'image_too_large'],
  ])('refuses %s as a logo', async (_, bytes, code) => {
    const reply = await ann.put(uri, { json: { logo: Buffer.from(bytes).toString('base64') } })
    expect([reply.status, errorsOf(reply)]).toEqual([400, [['logo', code]]])
  })

  test('refuses a link without https, and a sixth link', async () => {
    const link = (url: string) => ({ label: 'Imprint', url })
    const footer = (...urls: string[]) => ({ json: { footer: { text: '', links: urls.map(link) } } })
    for (const url of ['http://example.org/', 'javascript:alert(1)', 'https://a@b@c/', 'https://'])
      expect(errorsOf(await ann.put(uri, footer(url)))[0]).toEqual(['footer.links[0].url', 'url_not_allowed'])
    expect((await ann.put(uri, footer(...Array(6).fill('https://example.org/')))).status).toBe(400)
  })

  test('returns 412 if the theme has changed since it was fetched', async () => {
    const etag = (await ann.get(uri)).headers.get('etag')!
    await ann.put(uri, { json: { font: 'serif' } })
    expect((await ann.put(uri, { json: { font: 'mono' }, headers: { 'if-match': etag } })).status).toBe(412)
  })
})

describe('duplicateSurvey', () => {
  test('copies the theme with its logo', async () => {
    const { body } = await ann.put(uri, { json: { logo: LOGO.toString('base64'), font: 'serif' } })
    const copy = (await ann.post(`/api/v3/surveys/${id}/duplicate/`)).body.id
    expect((await ann.get(`/api/v3/surveys/${copy}/theme/`)).body).toEqual(body)
  })
})

describe('updateUserTheme', () => {
  test('changes the theme of every survey that has no own theme, as getUserTheme and the pages show [spec 5.13]', async () => {
    await ann.put(accountUri, { json: { accent_color: '#8a3b12', footer: { text: 'Example Ltd', links: [] } } })
    expect((await ann.get(accountUri)).body.accent_color).toBe('#8a3b12')
    expect(await survey()).toContain('Example Ltd')
    expect(sheetIn(await survey())).toContain('8a3b12')
    await ann.put(uri, { json: { accent_color: '#0b5d3b' } })
    expect(sheetIn(await survey())).toContain('0b5d3b')
    expect((await ann.get(uri)).body.footer).toBeNull()
  })

  test('returns 404 for another account', async () => {
    const other = await world.person()
    expect((await other.get(accountUri)).status).toBe(404)
    expect((await other.put(accountUri, { json: { font: 'mono' } })).status).toBe(404)
  })
})

/** Returns a copy of a PNG whose header states the given width. */
function withWidth(png: Buffer, width: number): Buffer {
  const copy = Buffer.from(png)
  copy.writeUInt32BE(width, 16)
  return copy
}
