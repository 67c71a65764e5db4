import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import * as versions from '../../src/api/versions.ts'
import { downConvert } from '../../src/lib/down-convert.ts'
import { useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

describe.each(Object.keys(versions))('the documentation of %s', (version) => {
  it('serves the OpenAPI document with an ETag', async () => {
    const reply = await world.anonymous.get(`/openapi/${version}.json`)
    expect(reply.status).toBe(200)
    expect(reply.body.openapi).toMatch(/^3\.1/)
    expect(Object.keys(reply.body.paths)).toContain('/surveys/')
    const etag = reply.headers.get('etag')!
    for (const tag of [etag, `W/${etag}`, etag.replace(/(-gzip|-br)?"$/, '-gzip"')]) {
      const headers = { 'if-none-match': tag, 'cache-control': 'max-age=0' }
      expect((await world.anonymous.get(`/openapi/${version}.json`, { headers })).status).toBe(304)
    }
  })

  it('serves the generated OpenAPI document, and the same document converted to OpenAPI 3.0', async () => {
    const [original, converted] = await Promise.all(
      [`/openapi/${version}.json`, `/openapi/${version}/openapi-3.0.json`].map((path) => world.anonymous.get(path)),
    )
    expect(original!.body).toEqual(JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8')))
    expect([converted!.status, converted!.body.openapi]).toEqual([200, '3.0.3'])
    expect(converted!.body).toEqual(downConvert(original!.body))
    // In build/docs, relative links work as on the server. It may be older than the contract, if make did not run.
    expect(JSON.parse(readFileSync(`build/docs/${version}/openapi-3.0.json`, 'utf8')).openapi).toBe('3.0.3')
  })

  it.each(['gzip', 'br'])('is compressed only for clients that accept it: %s', async (coding) => {
    const getWith = (encoding: string) =>
      world.anonymous.get(`/docs/${version}/`, { headers: { 'accept-encoding': encoding } })
    const [plain, zipped] = [await getWith('identity'), await getWith(coding)]
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([null, coding])
    expect(zipped.text).toBe(plain.text)
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 3)
    expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    expect(zipped.headers.get('vary')).toMatch(/Accept-Encoding/)
  })

  it('lists every tag once in the menu, and has no broken links', async () => {
    const { body } = await world.anonymous.get(`/openapi/${version}.json`)
    const tagNames = body.tags.map(({ name }: { name: string }) => name)
    expect(body['x-tagGroups'].flatMap(({ tags }: { tags: string[] }) => tags).sort()).toEqual(tagNames.sort())
    const links = [...body.info.description.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link as string)
    expect(links).toContain('openapi.json')
    for (const link of links) {
      const { pathname } = new URL(link, `${world.base}/docs/${version}/`)
      expect([pathname, (await world.anonymous.get(pathname)).status]).toEqual([pathname, 200])
    }
  })

  it('is rendered by Redoc without requests to other hosts', async () => {
    const page = await chromium.newPage({ viewport: { width: 1440, height: 900 } })
    const foreignRequests: string[] = []
    const errors: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(world.base) && !/^(data|blob):/.test(request.url()))
        foreignRequests.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(`${world.base}/docs/${version}/`)
    await page.getByRole('heading', { name: 'Canvass API' }).waitFor()
    // Until the reference has loaded, the page is a static preview that ignores clicks.
    await page.getByText('Loading...', { exact: true }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Surveys', exact: true }).first().click()
    await page.getByText('List surveys').first().waitFor()
    await page.getByText('curl', { exact: true }).first().click()
    await page.getByText('Python', { exact: true }).first().waitFor()
    await page.getByText('TypeScript', { exact: true }).first().click()
    await page.getByText('canvass-client').first().waitFor()
    expect(foreignRequests).toEqual([])
    expect(errors).toEqual([])
  }, 60_000)
})
