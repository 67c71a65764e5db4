import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { eraseSurvey, pageOf, submitForm, text } from '../../support/surveys.ts'
import { FONT } from '../../support/woff2.ts'
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
const statusOf = async (url: string) => (await world.anonymous.get(new URL(url).pathname)).status
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

  test('stores a cover picture, and shows it on the first page only, with its text [spec 5.13]', async () => {
    const structure = { title: 'Feedback', form: [pageOf(text('one')), pageOf(text('two'))] }
    await ann.put(`/api/v3/surveys/${id}/structure/`, { json: { structure } })
    const image = Buffer.concat([LOGO, Buffer.alloc(900_000)])
    const { status, body } = await ann.put(uri, { json: { cover: image.toString('base64'), cover_text: 'A "field"' } })
    expect([status, body.cover]).toEqual([200, { url: expect.any(String), type: 'image/png', width: 120, height: 40 }])
    const path = new URL(body.cover.url).pathname
    const file = await fetch(body.cover.url)
    expect(Buffer.from(await file.arrayBuffer())).toEqual(image)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none';sandbox",
    })
    const shown = `<img src="${path}" width="120" height="40" alt="A &quot;field&quot;">`
    const first = await survey()
    expect(first).toContain(shown)
    expect(first).toContain(`<meta property="og:image" content="${body.cover.url}">`)
    const page = await world.anonymous.get(`/surveys/${ann.actor.username}/feedback/`)
    const { headers } = await submitForm(world.anonymous, page, { one: 'A', _go: 'next' })
    const second = await world.anonymous.get(headers.get('location')!)
    expect(second.text).toContain('name="two"')
    expect(second.text).not.toContain(path)
    // The file is no logo, and a logo is no cover picture.
    expect(await statusOf(body.cover.url.replace('/themes/', '/logos/'))).toBe(404)
    expect((await ann.put(uri, { json: { cover: body.cover, cover_text: '' } })).body.cover).toEqual(body.cover)
    await ann.put(uri, { json: { cover: '' } })
    expect(await statusOf(body.cover.url)).toBe(404)
    expect(await survey()).not.toContain('class="cover"')
  })

  test('stores a font, which the style sheet of the survey loads from this service [spec 5.13]', async () => {
    const { body } = await ann.put(uri, { json: { font_file: `data:font/woff2;base64,${FONT.toString('base64')}` } })
    expect(body.font_file).toEqual({ url: expect.any(String), size: FONT.length })
    const file = await fetch(body.font_file.url)
    expect(Buffer.from(await file.arrayBuffer())).toEqual(FONT)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none';sandbox",
    })
    const path = sheetIn(await survey())!
    const sheet = await (await fetch(world.base + path)).text()
    const [, address = ''] = /src:url\(([^)]+)\) format\("woff2"\);font-display:swap\}/.exec(sheet) ?? []
    expect(new URL(address, world.base + path).href).toBe(body.font_file.url)
    expect(sheet).toContain('font-family:"Own font",system-ui')
    expect((await ann.put(uri, { json: { font_file: body.font_file, font: 'serif' } })).body.font_file).toEqual(
      body.font_file,
    )
    await ann.put(uri, { json: { font_file: null, font: null } })
    expect(await statusOf(body.font_file.url)).toBe(404)
    expect(sheetIn(await survey())).toBeUndefined()
  })

  test('accepts a font with all weights, and says so in the style sheet', async () => {
    // A directory with the further table `fvar`, of no bytes.
    const font = Buffer.concat([FONT.subarray(0, 48), Buffer.from([47, 0]), FONT.subarray(48)])
    font.writeUInt32BE(font.length, 8)
    font.writeUInt16BE(font.readUInt16BE(12) + 1, 12)
    await ann.put(uri, { json: { font_file: font.toString('base64') } })
    const sheet = await (await fetch(world.base + sheetIn(await survey()))).text()
    expect(sheet).toContain('font-weight:100 900')
  })

  test.each([
    ['a PNG', LOGO, 'invalid_font'],
    ['TrueType', Buffer.from('\0\x01\0\0\0\x10'.padEnd(200, '\0'), 'latin1'), 'invalid_font'],
    ['the beginning of a font', FONT.subarray(0, FONT.length - 1), 'invalid_font'],
    ['a font whose directory ends early', withDirectory(FONT, 60_000), 'invalid_font'],
    ['a font without tables', withDirectory(FONT, 0), 'invalid_font'],
    ['501,000 bytes', Buffer.concat([FONT, Buffer.alloc(501_000)]), 'font_too_large'],
  ])('refuses %s as a font', async (_, bytes, code) => {
    const reply = await ann.put(uri, { json: { font_file: bytes.toString('base64') } })
    expect([reply.status, errorsOf(reply)]).toEqual([400, [['font_file', code]]])
    expect((await ann.get(uri)).body.font_file).toBeNull()
  })

  test('names each rejected file, and stores none of them', async () => {
    const json = { logo: LOGO.toString('base64'), cover: 'AAAA', font_file: 'AAAA' }
    expect(errorsOf(await ann.put(uri, { json }))).toEqual([
      ['cover', 'invalid_image'],
      ['font_file', 'invalid_font'],
    ])
    const large = Buffer.concat([LOGO, Buffer.alloc(2_000_000)]).toString('base64')
    expect(errorsOf(await ann.put(uri, { json: { cover: large } }))).toEqual([['cover', 'image_too_large']])
    expect((await ann.get(uri)).body).toMatchObject({ logo: null, cover: null, font_file: null })
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
  test('copies the theme with its files, which are deleted with the last survey that has them', async () => {
    const image = LOGO.toString('base64')
    const files = { logo: image, cover: image, font_file: FONT.toString('base64') }
    const { body } = await ann.put(uri, { json: { ...files, font: 'serif' } })
    const copy = (await ann.post(`/api/v3/surveys/${id}/duplicate/`)).body.id
    expect((await ann.get(`/api/v3/surveys/${copy}/theme/`)).body).toEqual(body)
    await eraseSurvey(ann, id)
    for (const { url } of [body.logo, body.cover, body.font_file]) expect(await statusOf(url)).toBe(200)
    await eraseSurvey(ann, copy)
    for (const { url } of [body.cover, body.font_file]) expect(await statusOf(url)).toBe(404)
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

  test('gives its font file to surveys that have no font of their own', async () => {
    const { body } = await ann.put(accountUri, { json: { font_file: FONT.toString('base64') } })
    expect(sheetIn(await survey())).toContain(body.font_file.url.slice(-38, -6))
    await ann.put(uri, { json: { font: 'serif' } })
    expect(sheetIn(await survey())).not.toContain(body.font_file.url.slice(-38, -6))
  })

  test('returns 404 for another account', async () => {
    const other = await world.person()
    expect((await other.get(accountUri)).status).toBe(404)
    expect((await other.put(accountUri, { json: { font: 'mono' } })).status).toBe(404)
  })
})

/** Returns a copy of a font whose header states the given number of tables. */
function withDirectory(font: Buffer, tables: number): Buffer {
  const copy = Buffer.from(font)
  copy.writeUInt16BE(tables, 12)
  return copy
}

/** Returns a copy of a PNG whose header states the given width. */
function withWidth(png: Buffer, width: number): Buffer {
  const copy = Buffer.from(png)
  copy.writeUInt32BE(width, 16)
  return copy
}
