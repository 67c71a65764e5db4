import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { operationsOf } from '../../src/api/engine/mount.ts'
import * as versions from '../../src/api/versions.ts'
import { saveScreenshot, violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
/** What Chromium and Firefox send. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

describe.each(Object.entries(versions))('/api/%s/ in a browser', (version, api) => {
  test('lists every operation and links those without parameters', async () => {
    for (const path of [`/api/${version}/`, `/api/${version}`]) {
      const { status, headers, text } = await world.anonymous.get(path, { headers: { accept: BROWSER } })
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('vary')).toContain('Accept')
      for (const { operationId } of operationsOf(api))
        expect(text).toMatch(new RegExp(`href="/docs/${version}/#/[a-z0-9-]+/${operationId.toLowerCase()}"`))
      expect(text).toContain(`href="/api/${version}/surveys/"`)
      expect(text).toContain(`href="/openapi/${version}.json"`)
      expect(text).not.toContain('href="/api/v3/surveys/{')
    }
  })

  it.each(['light', 'dark'] as const)('axe-core finds nothing, %s', async (colorScheme) => {
    for (const [name, width] of [
      ['phone', 360],
      ['desktop', 1280],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      const page = await context.newPage()
      await page.goto(`${world.base}/api/${version}/`)
      expect(await violations(page)).toEqual([])
      await saveScreenshot(page, `api-${version}-${name}-${colorScheme}`)
      await context.close()
    }
  })
})

/** What HttpURLConnection of Java sends where nothing is set. */
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'

describe('programs', () => {
  test('get JSON if they send credentials with the default Accept header of Java', async () => {
    const ann = await world.person()
    for (const version of Object.keys(versions))
      for (const headers of [{ accept: JAVA }, { accept: 'text/html' }]) {
        const reply = await ann.get(`/api/${version}/`, { headers })
        expect([version, reply.headers.get('content-type')]).toEqual([version, expect.stringContaining('json')])
      }
    expect((await world.anonymous.get('/api/v3/', { headers: { accept: 'text/html' } })).text).toContain('<h1>')
    const browser = await ann.get('/api/v3/', { headers: { accept: BROWSER } })
    expect(browser.headers.get('content-type')).toContain('text/html')
  })

  test('get JSON with format=json', async () => {
    const ann = await world.person()
    const { body } = await ann.get('/api/v3/?format=json', { headers: { accept: BROWSER } })
    expect(body).toHaveProperty('surveys')
  })

  test.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/plain, */*'])(
    'that ask for %s get what they always got',
    async (accept) => {
      const ann = await world.person()
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      expect((await ann.get('/api/v3/', { headers })).body).toHaveProperty('surveys')
      expect((await world.anonymous.get('/api/v3/', { headers })).status).toBe(401)
      expect((await ann.get('/api/v2/', { headers })).status).toBe(404)
    },
  )

  test('get JSON from collections, as browsers do', async () => {
    const ann = await world.person()
    const { headers } = await ann.get('/api/v3/surveys/', { headers: { accept: BROWSER } })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })
})
