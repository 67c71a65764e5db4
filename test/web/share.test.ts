import { beforeAll, describe, expect, test } from '@jest/globals'
import { idOfShortCode, shortCodeOf } from '../../src/domain/survey/short-code.ts'
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

describe('the short link of a survey', () => {
  test('redirects to the survey and keeps the query', async () => {
    const { short_url } = (await ann.get(`/api/v3/surveys/${id}/`)).body
    expect(short_url).toMatch(/\/s\/[0-9a-z]{8}$/)
    expect((await (await signInAs(ann)).get(`/account/surveys/${id}/`)).text).toContain(short_url)
    const reply = await fetch(`${short_url}?lang=fr`, { redirect: 'manual' })
    expect([reply.status, reply.headers.get('location')]).toEqual([302, `${new URL(address).pathname}?lang=fr`])
  })

  test.each(['00000000', 'zzzzzzzz', 'uuuuuuuu', '5', '123456789'])('returns 404 for the code %s', async (code) => {
    expect((await fetch(`${world.base}/s/${code}`, { redirect: 'manual' })).status).toBe(404)
  })
})

describe('shortCodeOf', () => {
  test('returns a code that identifies the survey', () => {
    for (const one of [1, 2, 14, 4_711, 2 ** 39 + 1]) expect(idOfShortCode(shortCodeOf(one))).toBe(one)
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
