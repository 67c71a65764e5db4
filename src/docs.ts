import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Middleware } from 'koa'
import { basePathOf } from './lib/base-path.ts'
import { Compressible } from './lib/compressible.ts'
import { downConvert } from './lib/down-convert.ts'
import { hasTag } from './lib/http.ts'

/** The document of the OAuth endpoints, which `make generate` writes. */
const OAUTH_DOCUMENT = new URL('../generated/oauth/openapi.json', import.meta.url)

interface Published {
  type: string
  etag: string
  body: Compressible
  policy?: string
  link?: string
}

const publish = (type: string, body: Buffer, policy?: string): Published => ({
  type,
  body: new Compressible(body),
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  ...(policy && { policy }),
})

/**
 * Returns the content security policy of a Redoc page: it permits the inline scripts of the page by hash, and no other
 * host.
 */
function policyOf(html: string): string {
  const hashes = [...html.matchAll(/<script(?:\s[^>]*)?>([\s\S]*?)<\/script>/g)]
    .filter(([, script]) => script)
    .map(([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`)
  return [
    "default-src 'none'",
    `script-src ${[...new Set(hashes)].join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    'worker-src blob:',
    'child-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

interface OpenApiDocument {
  servers?: readonly { url: string }[]
}

/** Returns a document whose servers have the path of the base URL. */
function located(document: object & OpenApiDocument, basePath: string): object {
  if (basePath === '') return document
  const servers = document.servers?.map((server) => ({ ...server, url: basePath + server.url.replace(/\/$/, '') }))
  return { ...document, ...(servers && { servers }) }
}

/** Returns a function that publishes a document on its first call: most processes never serve it. */
function once(make: () => Published): () => Published {
  let published: Published | undefined
  return () => (published ??= make())
}

/** The beginning of the servers in the document that a Redoc page contains. */
const SERVERS = /("servers":\s*\[\s*\{\s*"url":\s*")(?=\/)/g

/** Returns the page built by `make docs`, or a text with the command that builds it. */
function page(folder: string, version: string, basePath: string): Published {
  try {
    const file = readFileSync(join(folder, version, 'index.html'), 'utf8')
    const html = basePath === '' ? file : file.replaceAll(SERVERS, `$1${basePath}`)
    return publish('text/html; charset=utf-8', Buffer.from(html), policyOf(html))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const text = `The API reference has not been built. Run "make docs". The contract: /openapi/${version}.json`
    return publish('text/plain; charset=utf-8', Buffer.from(text))
  }
}

/**
 * Publishes these documents. Each is built once, at the first request, and the pages load nothing from other hosts:
 * - each contract: `/openapi/v3.json`, as OpenAPI 3.0 `/openapi/v3/openapi-3.0.json`, and its Redoc page `/docs/v3/`
 * - the document of the OAuth endpoints: `/openapi/oauth.json`, and its Redoc page `/docs/oauth/`
 * - the JSON Schema of structures: `/openapi/structure.json`
 * - the catalogue of all these documents
 * @param contracts the bundled documents by version
 * @param structure the JSON Schema of structures
 * @param folder where `make docs` writes the pages
 * @param baseUrl the base URL of the service, for the catalogue and the servers of the documents
 */
export function createDocs(
  contracts: Readonly<Record<string, object>>,
  structure: unknown,
  folder: string,
  baseUrl: string,
): Middleware {
  const json = (make: () => unknown, more: Partial<Published> = {}) =>
    once(() => ({ ...publish('application/json', Buffer.from(JSON.stringify(make()))), ...more }))
  const basePath = basePathOf(baseUrl)
  const schema = json(() => structure)
  const published = new Map([['/openapi/structure.json', schema]])
  for (const [version, contract] of Object.entries(contracts)) {
    const document = json(() => located(contract, basePath))
    const older = json(() => downConvert(located(contract, basePath)))
    const html = once(() => page(folder, version, basePath))
    published.set(`/openapi/${version}.json`, document)
    published.set(`/openapi/${version}/openapi-3.0.json`, older)
    published.set(`/docs/${version}/`, html)
    // The same paths as on disk, so that relative links work in both places.
    published.set(`/docs/${version}/openapi.json`, document)
    published.set(`/docs/${version}/openapi-3.0.json`, older)
    published.set(`/docs/${version}/index.html`, html)
    published.set(`/docs/${version}/structure.json`, schema)
  }
  const oauth = json(() => located(JSON.parse(readFileSync(OAUTH_DOCUMENT, 'utf8')), basePath))
  const oauthPage = once(() => page(folder, 'oauth', basePath))
  for (const path of ['/openapi/oauth.json', '/docs/oauth/openapi.json']) published.set(path, oauth)
  for (const path of ['/docs/oauth/', '/docs/oauth/index.html']) published.set(path, oauthPage)
  const catalog = json(() => apiCatalog(baseUrl, Object.keys(contracts)), {
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    link: `<${baseUrl}${API_CATALOG}>; rel="api-catalog"`,
  })
  published.set(API_CATALOG, catalog)
  return async (ctx, next) => {
    const file = ctx.method === 'GET' || ctx.method === 'HEAD' ? published.get(ctx.path)?.() : undefined
    if (!file) {
      if (published.has(`${ctx.path}/`)) return ctx.redirect(`${ctx.path}/`)
      return next()
    }
    ctx.type = file.type
    const coding = file.body.codingFor(ctx)
    ctx.set('ETag', coding ? file.etag.replace(/"$/, `-${coding}"`) : file.etag)
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.set('Access-Control-Allow-Origin', '*')
    if (file.link) ctx.set('Link', file.link)
    if (file.policy) ctx.set('Content-Security-Policy', file.policy)
    ctx.status = 200
    if (hasTag(ctx.get('If-None-Match'), file.etag)) {
      ctx.status = 304
      return
    }
    await file.body.send(ctx, coding)
  }
}

/** The path of the catalogue (RFC 9727). */
const API_CATALOG = '/.well-known/api-catalog'

const description = (baseUrl: string, name: string) => ({
  'service-desc': [{ href: `${baseUrl}/openapi/${name}.json`, type: 'application/json' }],
  'service-doc': [{ href: `${baseUrl}/docs/${name}/`, type: 'text/html' }],
})

/**
 * Returns the catalogue of the APIs of this service (RFC 9727) as a set of links (RFC 9264).
 * @param versions such as `v3`
 */
function apiCatalog(baseUrl: string, versions: readonly string[]) {
  const apis = versions.map((version) => ({
    anchor: `${baseUrl}/api/${version}/`,
    ...description(baseUrl, version),
  }))
  const oauth = {
    anchor: `${baseUrl}/accounts/oauth/token/`,
    ...description(baseUrl, 'oauth'),
    'service-meta': [{ href: `${baseUrl}/.well-known/oauth-authorization-server`, type: 'application/json' }],
  }
  const linkset = [...apis, oauth]
  const item = linkset.map(({ anchor }) => ({ href: anchor }))
  return { linkset: [{ anchor: baseUrl + API_CATALOG, item }, ...linkset] }
}
