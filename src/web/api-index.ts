import type { Context, Middleware } from 'koa'
import { type Html, html } from '../lib/html.ts'
import { descriptionLink } from '../lib/http.ts'
import { htmlDocument } from './layout/document.ts'

/** The parts of a contract that an index shows (OpenAPI 3.1). */
export interface ContractDocument {
  info: { title: string; summary?: string }
  tags?: readonly Tag[]
  paths: Readonly<Record<string, unknown>>
}

interface Tag {
  name: string
  'x-displayName'?: string
  description?: string
}

interface Operation {
  method: string
  path: string
  id: string
  tag: string
  summary: string
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Returns the operations of a contract in the order in which the contract lists them. */
function operationsIn({ paths }: ContractDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (
        item as Record<string, { operationId: string; summary?: string; tags?: string[] } | undefined>
      )[method]
      if (!operation) return []
      const { operationId: id, summary = id, tags: [tag = ''] = [] } = operation
      return [{ method: method.toUpperCase(), path, id, tag, summary }]
    }),
  )
}

/**
 * Creates the middleware that shows browsers an index of the operations of an API version. The index is at the root
 * path of the version. A request for this path is passed on to the API if it prefers JSON, if it has `?format=json`, or
 * if it has credentials and does not accept XHTML.
 * @param contracts the bundled documents by version, such as `v3`
 */
export function createApiIndex(contracts: Readonly<Record<string, ContractDocument>>, baseUrl: string): Middleware {
  const pages = new Map(
    Object.entries(contracts).map(([version, contract]) => [
      `/api/${version}/`,
      {
        text: String(indexPage(version, contract, Object.keys(contracts), baseUrl)),
        link: descriptionLink(baseUrl, version),
      },
    ]),
  )
  return (ctx, next) => {
    const page = pages.get(ctx.path.endsWith('/') ? ctx.path : `${ctx.path}/`)
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    if (!page || !isRead || ctx.query.format === 'json' || !isBrowser(ctx)) return next()
    ctx.vary('Accept, Authorization')
    ctx.set('Cache-Control', 'private, no-cache')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.type = 'text/html; charset=utf-8'
    ctx.set('Link', page.link)
    ctx.body = page.text
  }
}

/**
 * Returns whether a browser sent the request. A request that prefers HTML can also come from Java's
 * `HttpURLConnection`. Unlike a browser, `HttpURLConnection` does not accept XHTML, and it sends credentials.
 */
const isBrowser = (ctx: Context): boolean =>
  ctx.accepts('application/json', 'text/html') === 'text/html' &&
  (ctx.get('authorization') === '' || ctx.get('accept').toLowerCase().includes('application/xhtml+xml'))

function indexPage(version: string, contract: ContractDocument, versions: readonly string[], baseUrl: string): Html {
  const { title, summary } = contract.info
  const operations = operationsIn(contract)
  const root = `/api/${version}`
  const otherVersions = versions.filter((other) => other !== version)
  return htmlDocument({
    language: 'en',
    direction: 'ltr',
    title,
    layout: 'app',
    body: html`
      <a class="skip" href="#main">Skip to main content</a>
      <main id="main" class="api" tabindex="-1">
        <p class="brand">Canvass</p>
        <div class="head"><h1>${title}</h1><a class="button" href="/docs/${version}/">Read the API reference</a></div>
        <p class="soft">${summary}</p>
        <section class="card" aria-labelledby="start">
          <h2 id="start">Get started</h2>
          <p>
            Authenticate with HTTP Basic: your username with an API key or your password. Create keys
            on <a href="/account/keys/">your API keys page</a>.
          </p>
          <pre class="plain-text" tabindex="0" role="region"
              aria-label="Example">curl -u USERNAME:API_KEY ${baseUrl}${root}/surveys/</pre>
          <p class="below">
            <a href="/docs/${version}/">Reference</a> · <a href="/openapi/${version}.json">OpenAPI 3.1</a> · <a
                href="/openapi/${version}/openapi-3.0.json">OpenAPI 3.0</a>
            ${otherVersions.map(
              (other) =>
                html` · <a href="/api/${other}/">
                  ${contract.info.title.replace(/version \d+/, `version ${other.slice(1)}`)}
                </a>`,
            )} · <a href="/account/surveys/">Your surveys</a>
          </p>
        </section>
        ${(contract.tags ?? []).map((tag) =>
          tagView(
            tag,
            operations.filter((one) => one.tag === tag.name),
            { root, version },
          ),
        )}
      </main>`,
  })
}

function tagView(
  { name, 'x-displayName': shown = name, description }: Tag,
  operations: readonly Operation[],
  { root, version }: { root: string; version: string },
): Html | false {
  // Only operations whose path has no parameters get a link, because a link cannot fill in parameters.
  const address = ({ method, path }: Operation) =>
    method === 'GET' && !path.includes('{')
      ? html`<a href="${root}${path}"><code>${path}</code></a>`
      : html`<code>${path}</code>`
  return (
    operations.length > 0 &&
    html`<section class="card" aria-labelledby="tag-${name}">
      <h2 id="tag-${name}">${shown}</h2>
      <p class="soft">${description}</p>
      <ul class="operations">
        ${operations.map(
          (operation) =>
            html`<li>
              <span class="method">${operation.method}</span> ${address(operation)} <a class="what"
                  href="/docs/${version}/#/${operation.tag}/${operation.id.toLowerCase()}">${operation.summary}</a>
            </li>`,
        )}
      </ul>
    </section>`
  )
}
