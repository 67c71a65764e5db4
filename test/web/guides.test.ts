import { describe, expect, it } from '@jest/globals'
import { expectClean } from '../support/axe.ts'
import { useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const linksOf = (body: string) => [...body.matchAll(/<a href="([^"#]+)/g)].map(([, href]) => href!)

/** The header leads to pages of signed-in users, which ask visitors to sign in. */
const statusOf = (address: string) => (address.startsWith('/account/') ? 303 : 200)

describe('the documentation', () => {
  it('links to every guide, reference and OpenAPI document, and has no broken links', async () => {
    const index = await world.anonymous.get('/docs/')
    const pages = linksOf(index.text)
    expect(pages).toEqual(
      expect.arrayContaining(['/docs/guides/collect/', '/docs/v3/', '/openapi/v2.json', '/docs/changelog/']),
    )
    for (const page of pages) {
      const { status, headers, text } = await world.anonymous.get(page)
      expect([page, status]).toEqual([page, statusOf(page)])
      if (status === 303) continue
      if (!headers.get('content-type')!.startsWith('text/html') || /v\d/.test(page)) continue
      expect(text).toMatch(/<h1[ >]/)
      for (const link of linksOf(text).filter((href) => href.startsWith('/')))
        expect([link, (await world.anonymous.get(link)).status]).toEqual([link, statusOf(link)])
    }
  })

  it.each(['/docs/', '/docs/guides/export/', '/docs/changelog/'])('%s is accessible on a phone', async (path) => {
    const page = await chromium.newPage({ viewport: { width: 360, height: 800 }, bypassCSP: true })
    await page.goto(world.base + path)
    await expectClean(page, path.replaceAll('/', ' ').trim(), 'phone-light')
    await page.close()
  })

  it('links only to sections and operations that exist in the reference', async () => {
    const texts = await Promise.all(
      ['sync', 'export', 'structure'].map((name) => world.anonymous.get(`/docs/guides/${name}/`)),
    )
    const links = texts.flatMap(({ text }) => [...text.matchAll(/"(\/docs\/v3\/#[^"]+)"/g)].map(([, href]) => href!))
    links.push('/docs/v2/#/section/deprecation', '/docs/v3/#/section/deprecation')
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) {
      const page = await chromium.newPage()
      await page.goto(world.base + link)
      await page.getByText('Loading...', { exact: true }).waitFor({ state: 'hidden' })
      expect([link, await page.getByText('No page at this address').count()]).toEqual([link, 0])
    }
  })

  it.each(['start', 'builder', 'theme', 'collect', 'invite', 'embed', 'export'])(
    '%s, a guide for owners, tells the way in the browser, and commands only where it opens for programs',
    async (name) => {
      const { text } = await world.anonymous.get(`/docs/guides/${name}/`)
      expect(text).toContain('<summary>By program</summary>')
      expect(text.replace(/<details>.*?<\/details>/gs, '')).not.toMatch(/<code class="language-sh"|curl -/)
    },
  )

  it.each(['/docs', '/docs/guides/sync'])('redirects %s to the path with a slash at the end', async (path) => {
    const { status, headers } = await world.anonymous.get(path)
    expect([status, headers.get('location')]).toEqual([302, `${path}/`])
  })
})
