import { beforeAll, describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { DRINKS, openBuilder } from './builder-owner.ts'

describe('the preview behind a link', () => {
  const world = useWorld()
  let owner: Awaited<ReturnType<typeof openBuilder>>
  beforeAll(async () => {
    owner = await openBuilder(world)
  })

  /** Creates a link on the page. @returns its path */
  const createLink = async (fields: Record<string, string> = {}) => {
    const { text } = await owner.browser.post(`${owner.root}preview-links/`, fields)
    const url = unescapeHtml(/id="preview-link">([^<]*)</.exec(text)![1]!)
    return new URL(url).pathname
  }
  const stranger = () => new HttpBrowser(world.base)
  const stateIn = (text: string) =>
    [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name, value]): [string, string] => [name!, unescapeHtml(value!)],
    )

  test('needs no account, says that nothing is stored, and stores nothing', async () => {
    const path = await createLink({ label: 'Client', expires: '30' })
    const browser = stranger()
    const first = await browser.get(path)
    expect(first.text).toContain('Preview – answers are not stored.')
    expect(first.text).toContain('Which drink?')
    const second = await browser.post(path, [...stateIn(first.text), ['drink', '2'], ['why', 'Warm'], ['_go', 'next']])
    expect(second.status).toBe(200)
    expect(second.text).not.toContain('Which drink?')
    expect(second.text).toContain('Where?')
    const responses = await owner.person.get(`/api/v3/surveys/${owner.id}/responses/`)
    expect(responses.body.results ?? responses.body.responses ?? []).toEqual([])
    expect(browser.cookies.size).toBe(0)
  })

  test('shows the draft as it is now, or the version that was published when the link was created', async () => {
    const [draft, fixed] = [await createLink(), await createLink({ shows: 'published' })]
    const structure = { ...DRINKS, title: 'Drinks of tomorrow' }
    await owner.person.put(`/api/v3/surveys/${owner.id}/draft/`, { json: structure })
    expect((await stranger().get(draft)).text).toContain('Drinks of tomorrow')
    expect((await stranger().get(fixed)).text).not.toContain('of tomorrow')
    expect((await owner.browser.get(`${owner.root}preview-links/`)).text).toContain('Shows version 1')
  })

  test('is kept out of search engines, frames and referrers', async () => {
    const path = await createLink()
    const { headers, text } = await stranger().get(path)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toContain('noindex')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).toContain('<meta name="robots" content="noindex">')
  })

  test('ignores a structure that a stranger sends', async () => {
    const path = await createLink()
    const forged = JSON.stringify({ title: 'Forged', form: [] })
    for (const name of ['_structure', 'structure'])
      expect((await stranger().post(path, { [name]: forged })).text).not.toContain('Forged')
  })

  test('is not found after it was revoked, with a key of another length, or with another key', async () => {
    const path = await createLink({ label: 'Board' })
    const { text } = await owner.browser.get(`${owner.root}preview-links/`)
    const revoke = /action="([^"]*\/revoke\/)">(?:(?!<form)[\s\S])*?Revoke the link for Board/.exec(text)![1]!
    expect((await owner.browser.post(revoke)).to).toBe(`${owner.root}preview-links/`)
    expect((await stranger().get(path)).status).toBe(404)
    expect((await stranger().post(path, {})).status).toBe(404)
    expect((await stranger().get(`${path.slice(0, -2)}/`)).status).toBe(404)
    expect((await stranger().get(`/preview/${'A'.repeat(43)}/`)).status).toBe(404)
  })

  test('is for people who may edit the survey to create', async () => {
    const { browser } = await openBuilder(world)
    expect((await browser.get(`${owner.root}preview-links/`)).status).toBe(404)
    expect((await browser.post(`${owner.root}preview-links/`, {})).status).toBe(404)
  })
})

describe('many previews from one network', () => {
  const world = useWorld({
    settings: { RATE_LIMIT: 'on', SURVEY_REQUESTS_PER_MINUTE: '3', TRUSTED_PROXIES: '1' },
  })

  test('are limited like pages of surveys', async () => {
    const { person, id } = await openBuilder(world)
    const { url } = (await person.post(`/api/v3/surveys/${id}/preview-links/`, { json: {} })).body
    const from = { 'x-forwarded-for': '203.0.113.7' }
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1)
      statuses.push((await new HttpBrowser(world.base).get(new URL(url).pathname, from)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})
