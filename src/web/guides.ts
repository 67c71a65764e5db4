import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import { type Html, html, trusted } from '../lib/html.ts'
import { lazy, loadPackage } from '../lib/lazy.ts'
import { htmlDocument, logo } from './layout/document.ts'
import { sideMenu } from './layout/parts.ts'

/** The names of the guides in the order of the index, by reader. Each guide is a file in docs/guides. */
const FOR_OWNERS = ['start', 'builder', 'theme', 'collect', 'invite', 'embed', 'export']
const FOR_PROGRAMS = ['structure', 'sync', 'webhooks', 'sign-in']
const GUIDES = [...FOR_OWNERS, ...FOR_PROGRAMS]

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
  const linksFor = (current: string) => [
    { label: 'All documentation', path: '/docs/', isCurrent: current === '/docs/' },
    ...GUIDES.map((name) => `/docs/guides/${name}/`).map((path) => ({
      label: titleOf(readTexts().get(path)!),
      path,
      isCurrent: path === current,
    })),
  ]
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
      sideMenu('Guides', linksFor(address), true),
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

## Guides for owners

${listOf(FOR_OWNERS, texts)}

## Guides for programs

${listOf(FOR_PROGRAMS, texts)}

## Reference

${versions
  .map((version) => `- [API ${version}](/docs/${version}/) and its [OpenAPI document](/openapi/${version}.json)`)
  .join('\n')}
- [OAuth 2.0](/docs/oauth/) and its [OpenAPI document](/openapi/oauth.json)
- [Changelog](/docs/changelog/)
`

const listOf = (names: readonly string[], texts: ReadonlyMap<string, string>): string =>
  names
    .map((name) => `/docs/guides/${name}/`)
    .map((address) => `- [${titleOf(texts.get(address)!)}](${address}): ${summaryOf(texts.get(address)!)}`)
    .join('\n')

const document = (title: string, content: ReturnType<typeof trusted>, side: Html) =>
  String(
    htmlDocument({
      language: 'en',
      direction: 'ltr',
      title: `${title} – Canvass`,
      layout: 'app',
      body: html`
        <a class="skip" href="#main">Skip to main content</a>
        <header class="bar">
          <a class="brand" href="/account/surveys/">${logo}Canvass</a>
          <nav aria-label="Main">
            <ul>
              <li><a href="/account/surveys/">Surveys</a></li>
              <li><a href="/docs/" aria-current="true">Documentation</a></li>
            </ul>
          </nav>
        </header>
        <main id="main" class="guide" tabindex="-1">
          ${side}
          ${content}
        </main>`,
    }),
  )
