import { describe, expect, test } from '@jest/globals'
import { operationsOf } from '../../src/api/engine/mount.ts'
import * as versions from '../../src/api/versions.ts'
import { onEveryScreen } from '../support/screens.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
/** The Accept header of Chromium and Firefox. */
const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

describe.each(Object.entries(versions))('the index page of /api/%s/', (version, api) => {
  test('lists every operation and links those without parameters', async () => {
    for (const path of [`/api/${version}/`, `/api/${version}`]) {
      const { status, headers, text } = await world.anonymous.get(path, { headers: { accept: BROWSER_ACCEPT } })
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
})

onEveryScreen('the index pages of the API', 'have no accessibility violations', async ({ page, expectClean }) => {
  for (const version of Object.keys(versions)) {
    await page.goto(`${world.base}/api/${version}/`)
    await expectClean(`api-${version}`)
  }
})

/** The default Accept header of HttpURLConnection in Java. */
const JAVA_ACCEPT = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'

describe('the index of the API for programs', () => {
  test('is JSON if the request has credentials and the default Accept header of Java', async () => {
    const ann = await world.person()
    for (const version of Object.keys(versions))
      for (const headers of [{ accept: JAVA_ACCEPT }, { accept: 'text/html' }]) {
        const reply = await ann.get(`/api/${version}/`, { headers })
        expect([version, reply.headers.get('content-type')]).toEqual([version, expect.stringContaining('json')])
      }
    expect((await world.anonymous.get('/api/v3/', { headers: { accept: 'text/html' } })).text).toContain('<h1>')
    const reply = await ann.get('/api/v3/', { headers: { accept: BROWSER_ACCEPT } })
    expect(reply.headers.get('content-type')).toContain('text/html')
  })

  test('is JSON with format=json', async () => {
    const ann = await world.person()
    const { body } = await ann.get('/api/v3/?format=json', { headers: { accept: BROWSER_ACCEPT } })
    expect(body).toHaveProperty('surveys')
  })

  test.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/plain, */*'])(
    'is JSON with the Accept header %s, and requires credentials',
    async (accept) => {
      const ann = await world.person()
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      expect((await ann.get('/api/v3/', { headers })).body).toHaveProperty('surveys')
      expect((await world.anonymous.get('/api/v3/', { headers })).status).toBe(401)
    },
  )

  test('does not change the format of collections, which are JSON in a browser too', async () => {
    const ann = await world.person()
    const { headers } = await ann.get('/api/v3/surveys/', { headers: { accept: BROWSER_ACCEPT } })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })
})
