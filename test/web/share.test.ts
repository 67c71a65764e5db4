import { beforeAll, describe, expect, test } from '@jest/globals'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let address: string
beforeAll(async () => {
  ann = await world.person()
  const { survey, path } = await addSurvey(ann, {
    title: 'Tea & "cake"',
    description: 'Two minutes',
    form: [pageOf(text('a'))],
  })
  id = survey.id
  address = world.base + path
})

const opened = async () => (await fetch(address)).text()
const configure = (settings: object) => ann.put(`/api/v3/surveys/${id}/settings/`, { json: settings })

describe('the first page of a survey', () => {
  test('has metadata for the link previews of social networks', async () => {
    const page = await opened()
    expect(page).toContain('<meta property="og:title" content="Tea &amp; &quot;cake&quot;">')
    expect(page).toContain('<meta property="og:description" content="Two minutes">')
    expect(page).toContain(`<meta property="og:url" content="${address}">`)
    expect(page).not.toContain('og:image')
  })

  test.each([
    ['closed', { live: 0 }, { live: 1 }],
    ['open to invited people only', { invite_only: true }, { invite_only: false }],
    ['protected by a password', { password: 'correct horse' }, { password: false }],
    ['not open yet', { open_at: '2999-01-01' }, { open_at: null }],
  ])('has no preview if the survey is %s', async (_, settings, undo) => {
    await configure(settings)
    expect(await opened()).not.toMatch(/og:|twitter:|name="description"/)
    await configure(undo)
    expect(await opened()).toContain('og:title')
  })
})

/** The code that earlier versions computed from the ID. */
function computedCode(id: number): string {
  const value = (BigInt(id) * 662_607_015_301n) % 2n ** 40n
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  return Array.from({ length: 8 }, (_, at) => digits[Number((value >> BigInt(35 - 5 * at)) & 31n)]).join('')
}

const follow = (url: string, headers = {}) => fetch(url, { redirect: 'manual', headers })

describe('the short link of a survey', () => {
  test('redirects to the survey and keeps the query, also in capital letters', async () => {
    const { short_url } = (await ann.get(`/api/v3/surveys/${id}/`)).body
    expect(short_url).toMatch(/\/s\/[0-9a-z]{12}$/)
    expect((await (await signInAs(ann)).get(`/account/surveys/${id}/`)).text).toContain(short_url)
    const code = short_url.slice(-12)
    for (const url of [short_url, short_url.replace(code, code.toUpperCase())]) {
      const reply = await follow(`${url}?lang=fr`)
      expect([reply.status, reply.headers.get('location')]).toEqual([302, `${new URL(address).pathname}?lang=fr`])
    }
  })

  test('has a random code', async () => {
    const codes = new Set<string>()
    for (let n = 0; n < 20; n++) {
      const { body } = await ann.post('/api/v3/surveys/', { json: { name: 'n' } })
      codes.add(body.short_url)
    }
    expect(codes.size).toBe(20)
    const replies = await Promise.all(
      [...Array(60).keys()].map((n) => follow(`${world.base}/s/${computedCode(n + 1)}`)),
    )
    expect(replies.filter(({ status }) => status !== 404)).toEqual([])
  })

  test.each(['00000000', 'zzzzzzzz', 'uuuuuuuu', '5', '123456789', '%F0%9F%98%80', '%00'])(
    'returns 404 for the code %s',
    async (code) => {
      expect((await follow(`${world.base}/s/${code}`)).status).toBe(404)
    },
  )

  test.each([
    ['closed', { live: 0 }, { live: 1 }],
    ['not open yet', { open_at: '2999-01-01' }, { open_at: null }],
    ['ended', { close_at: '2001-01-01' }, { close_at: null }],
  ])('tells nothing about a survey that is %s, not even that it exists', async (_, settings, undo) => {
    await configure(settings)
    const { short_url } = (await ann.get(`/api/v3/surveys/${id}/`)).body
    const closed = await follow(short_url, { 'Accept-Language': 'de' })
    const missing = await follow(`${world.base}/s/${'0'.repeat(12)}`, { 'Accept-Language': 'de' })
    await configure(undo)
    expect([closed.status, missing.status]).toEqual([404, 404])
    const page = await closed.text()
    expect(page).toBe(await missing.text())
    expect(page).toContain('Diese Umfrage ist nicht verfügbar')
    expect(page).not.toMatch(/Tea|person\d|surveys/)
  })

  test('that an earlier version gave out leads to its survey until November 2027', async () => {
    await world.application.services.pool.query('update survey set has_computed_code = true where id = $1', [id])
    const url = `${world.base}/s/${computedCode(id)}`
    expect((await follow(url)).headers.get('location')).toBe(new URL(address).pathname)
    const { now } = world
    world.now = new Date('2027-11-28T00:00:00Z')
    expect((await follow(url)).status).toBe(404)
    expect((await follow((await ann.get(`/api/v3/surveys/${id}/`)).body.short_url)).status).toBe(302)
    world.now = now
  })
})

describe('the QR code on the overview of a survey', () => {
  let browser: HttpBrowser
  beforeAll(async () => {
    browser = await signInAs(ann)
  })

  test('can be downloaded as SVG and PNG', async () => {
    const root = `/account/surveys/${id}/`
    expect((await browser.get(root)).text).toContain(`src="${root}image/qr-code.svg"`)
    const svg = await browser.get(`${root}image/qr-code.svg?download`)
    expect(svg.headers.get('content-type')).toContain('image/svg+xml')
    expect(svg.headers.get('content-disposition')).toContain('tea-cake-qr-code.svg')
    expect(svg.text).toMatch(/^<svg/)
    const png = await browser.get(`${root}image/qr-code.png`)
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await browser.get(`${root}image/qr-code.gif`)).status).toBe(404)
  })

  test('is not shown to other users', async () => {
    const other = await signInAs(await world.person())
    expect((await other.get(`/account/surveys/${id}/image/qr-code.svg`)).status).toBe(404)
  })
})
