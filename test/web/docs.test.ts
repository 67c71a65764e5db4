import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

describe.each(['v2', 'v3'])('the published contract of %s', (version) => {
  it('is the document that is served', async () => {
    const reply = await world.anonymous.get(`/openapi/${version}.json`)
    expect(reply.status).toBe(200)
    expect(reply.body.openapi).toMatch(/^3\.1/)
    expect(Object.keys(reply.body.paths)).toContain('/surveys/')
    const again = await world.anonymous.get(`/openapi/${version}.json`, {
      headers: { 'if-none-match': reply.headers.get('etag')!, 'cache-control': 'max-age=0' },
    })
    expect(again.status).toBe(304)
  })

  it('is compressed for whoever takes that, and for nobody else', async () => {
    const asked = (encoding: string) =>
      world.anonymous.get(`/docs/${version}/`, { headers: { 'accept-encoding': encoding } })
    const [plain, zipped] = [await asked('identity'), await asked('gzip')]
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([null, 'gzip'])
    expect(zipped.body).toEqual(plain.body)
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 3)
    expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    expect(zipped.headers.get('vary')).toMatch(/Accept-Encoding/)
  })

  it('has every tag in one place of the menu, and its links hold', async () => {
    const { body } = await world.anonymous.get(`/openapi/${version}.json`)
    const named = body.tags.map(({ name }: { name: string }) => name)
    expect(body['x-tagGroups'].flatMap(({ tags }: { tags: string[] }) => tags).sort()).toEqual(named.sort())
    const links = [...body.info.description.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link as string)
    expect(links).toContain('openapi.json')
    for (const link of links) {
      const { pathname } = new URL(link, `${world.base}/docs/${version}/`)
      expect([pathname, (await world.anonymous.get(pathname)).status]).toEqual([pathname, 200])
    }
  })

  it('is shown by Redoc without a request to another host', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const outside: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(world.base) && !/^(data|blob):/.test(request.url())) outside.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(`${world.base}/docs/${version}/`)
    await page.getByRole('heading', { name: 'Canvass API' }).waitFor()
    // Until then it is a picture of itself, and clicks are lost.
    await page.getByText('Loading...', { exact: true }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Surveys', exact: true }).first().click()
    await page.getByText('List surveys').first().waitFor()
    await page.getByText('curl', { exact: true }).first().click()
    await page.getByText('Python', { exact: true }).first().waitFor()
    await page.getByText('TypeScript', { exact: true }).first().click()
    await page.getByText('canvass-client').first().waitFor()
    expect(outside).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  }, 60_000)
})
