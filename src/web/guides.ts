import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import { html, trusted } from '../lib/html.ts'
import { lazy, loadPackage } from '../lib/lazy.ts'
import { htmlDocument } from './layout/document.ts'

/** The names of the guides in the order of the index. Each guide is a file in docs/guides. */
const GUIDES = [
  'start',
  'collect',
  'builder',
  'theme',
  'structure',
  'invite',
  'embed',
  'sync',
  'webhooks',
  'export',
  'sign-in',
]

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The file of each page, by the path of the page. */
const FILES: ReadonlyMap<string, string> = new Map([
  ...GUIDES.map((name): [string, string] => [`/docs/guides/${name}/`, `docs/guides/${name}.md`]),
  ['/docs/guides/custom-authentication/', 'docs/custom-authentication.md'],
  ['/docs/changelog/', 'CHANGELOG.md'],
])

const titleOf = (text: string) => /^# (.*)$/m.exec(text)?.[1] ?? ''

/** Returns the first paragraph of a guide. */
const summaryOf = (text: string) => text.split('\n\n')[1] ?? ''

/** Replaces a link to a file of the repository with the URL of the page that shows this file. */
const addressOf = (href: string) =>
  href.replace(/^(?:\.\.\/)*(?:guides\/)?([\w-]+)\.md$/, (link, name: string) =>
    FILES.has(`/docs/guides/${name}/`) ? `/docs/guides/${name}/` : link,
  )

/**
 * Serves the guides and the changelog, and an index that lists them and the API references.
 * @param versions of the API, newest first, such as `v3`
 */
export function createGuides(versions: readonly string[]): Middleware {
  const readTexts = lazy(
    () => new Map([...FILES].map(([address, file]) => [address, readFileSync(fileOf(file), 'utf8')])),
  )
  const pages = new Map<string, string>()
  const render = (address: string, text: string) =>
    document(
      titleOf(text),
      trusted(
        loadPackage<typeof import('marked')>('marked')
          .marked.parse(text, {
            async: false,
            walkTokens: (token) => {
              if (token.type === 'link') token.href = addressOf(token.href)
            },
          })
          // Code can be wider than the page. It has a `tabindex`, so that users can scroll it with the keyboard.
          .replaceAll('<pre>', '<pre tabindex="0">'),
      ),
      address !== '/docs/',
    )
  return (ctx, next) => {
    const texts = readTexts()
    const text = ctx.path === '/docs/' ? indexOf(texts, versions) : texts.get(ctx.path)
    if (text === undefined || !['GET', 'HEAD'].includes(ctx.method)) {
      if (ctx.path === '/docs' || texts.has(`${ctx.path}/`)) return ctx.redirect(`${ctx.path}/`)
      return next()
    }
    const page = pages.get(ctx.path) ?? render(ctx.path, text)
    pages.set(ctx.path, page)
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = page
  }
}

/** Returns the index of all documents, as Markdown. */
const indexOf = (texts: ReadonlyMap<string, string>, versions: readonly string[]) => `# Documentation

## Guides

${GUIDES.map((name) => `/docs/guides/${name}/`)
  .map((address) => `- [${titleOf(texts.get(address)!)}](${address}): ${summaryOf(texts.get(address)!)}`)
  .join('\n')}

## Reference

${versions
  .map((version) => `- [API ${version}](/docs/${version}/) and its [OpenAPI document](/openapi/${version}.json)`)
  .join('\n')}
- [OAuth 2.0](/docs/oauth/) and its [OpenAPI document](/openapi/oauth.json)
- [Changelog](/docs/changelog/)
`

const document = (title: string, content: ReturnType<typeof trusted>, hasIndexLink: boolean) =>
  String(
    htmlDocument({
      language: 'en',
      direction: 'ltr',
      title: `${title} – Canvass`,
      layout: 'app',
      body: html`
        <a class="skip" href="#main">Skip to main content</a>
        <main id="main" class="guide" tabindex="-1">
          <p class="brand">Canvass</p>
          ${hasIndexLink && html`<p><a href="/docs/">Documentation</a></p>`}
          ${content}
        </main>`,
    }),
  )
