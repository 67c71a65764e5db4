import { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { basePathOf } from '../lib/base-path.ts'

/** A start tag. Text contains no `<`, because it is escaped. */
const TAG = /<[a-z][^<>]*>/gi
/** The beginning of an attribute with an address on this host. */
const ADDRESS = /(\s(?:href|src|action|formaction|data-(?:check|live|preview|theme))=")\/(?!\/)/g

/**
 * Serves everything below the path of the base URL. The code inside knows no base path: it is removed from the address
 * of each request, and added to the redirects and pages that go out. Absolute addresses begin with the base URL, and
 * `cookie.ts` sets the path of cookies.
 *
 * A proxy can remove the base path, too: a request without it is served as it is. If the base path begins like an
 * address of the service, such as `/surveys`, the proxy must pass it on, or say in `X-Forwarded-Prefix` that it has
 * removed it.
 */
export function serveBelow(baseUrl: string): Middleware {
  const base = basePathOf(baseUrl)
  if (base === '') return (_, next) => next()
  const addTo = (html: string) => html.replace(TAG, (tag) => tag.replace(ADDRESS, `$1${base}/`))
  return async (ctx, next) => {
    if (ctx.get('x-forwarded-prefix').replace(/\/+$/, '') !== base) removeBase(ctx, base)
    await next()
    const location = ctx.response.get('location')
    if (/^\/(?!\/)/.test(location)) ctx.redirect(base + location)
    if (!ctx.response.is('html') || ctx.response.get('content-disposition')) return
    const { body } = ctx
    if (typeof body === 'string') ctx.body = addTo(body)
    // A page that arrives in parts. A part contains whole tags.
    else if (body instanceof Readable) ctx.body = Readable.from(mapParts(body, addTo))
  }
}

async function* mapParts(parts: AsyncIterable<unknown>, map: (part: string) => string): AsyncGenerator<string> {
  for await (const part of parts) yield map(String(part))
}

/**
 * Removes the base path from the address of a request. In the address of OAuth metadata (RFC 8414, 3.1), it stands at
 * the end.
 */
function removeBase({ req }: Context, base: string): void {
  const url = req.url ?? '/'
  const end = url.search(/\?|$/)
  const path = url.slice(0, end)
  if (path === base || path.startsWith(`${base}/`)) req.url = `${path.slice(base.length) || '/'}${url.slice(end)}`
  else if (path.startsWith('/.well-known/') && path.endsWith(base))
    req.url = `${path.slice(0, -base.length)}${url.slice(end)}`
}
