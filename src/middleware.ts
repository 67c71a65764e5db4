import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import cors from '@koa/cors'
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Context, Middleware } from 'koa'
import helmet from 'koa-helmet'
import { operationName } from './lib/http.ts'
import type { Log } from './lib/log.ts'
import { clientAddresses, loggedNetwork } from './lib/network.ts'
import { TextBody } from './lib/text-body.ts'
import { spanFields, tracer } from './lib/tracing.ts'
import { contentSecurityPolicy } from './web/csp.ts'

/** A request ID that is safe to repeat in headers and logs. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:+/=-]{1,128}$/

const MAX_LOGGED_ELEMENT = 64

/**
 * Forbids caches to keep a reply that says nothing else, such as a health check, a redirect or an error: some proxies
 * keep such replies for minutes.
 */
export const forbidCaching: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store')
  return next()
}

/**
 * Resets the connection if the body of a reply fails halfway. To a client or proxy that speaks HTTP/1.0, an orderly end
 * of the connection is the end of the body.
 */
export const resetFailedReplies: Middleware = async (ctx, next) => {
  await next()
  const { body, res } = ctx
  // Koa adds its own listener later. It ends the connection in an orderly way.
  if (body instanceof Readable) body.once('error', () => res.socket?.resetAndDestroy())
}

/** Assigns a request ID: the request ID that the client sent if it is safe, or else a new ID. */
export const requestId: Middleware = (ctx, next) => {
  const clientId = ctx.get('x-request-id')
  ctx.state.requestId = SAFE_REQUEST_ID.test(clientId) ? clientId : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  return next()
}

/** Sets `ctx.ip` to the canonical address of the client. */
export function clientAddress(trustedProxies: number, log: Log): Middleware {
  const addressOf = clientAddresses(trustedProxies, (element) =>
    log.warn(
      { element: element.slice(0, MAX_LOGGED_ELEMENT) },
      'X-Forwarded-For contains something else than an IP address; such requests count for the address of the proxy (run canvass doctor)',
    ),
  )
  return (ctx, next) => {
    ctx.request.ip = addressOf(ctx.req)
    return next()
  }
}

/** Length in characters from which a text is sent in chunks. */
const MIN_STREAMED_CHARACTERS = 100_000

/** Sends long pages and other texts in chunks, so that clients which do not read use little memory. */
export const streamLongTexts: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (typeof body !== 'string' || body.length < MIN_STREAMED_CHARACTERS || ctx.method === 'HEAD') return
  const { length } = ctx
  ctx.body = new TextBody(body)
  ctx.length = length
}

/** Secrets in paths: the keys of responses, and the tokens of shared reports, previews and unsubscribe links. */
const SECRETS_IN_PATHS = /\/[0-9a-f]{40}(?=\/|$)|(?<=^\/(?:unsubscribe|notifications|reports|preview))\/[^/]+/gi

/** Pages of respondents. With times, their networks could show who answered an anonymous survey. */
const RESPONDENT_PATHS = /^\/(surveys|s|images|logos|themes|unsubscribe)(\/|$)/

/** The header of a trace (W3C Trace Context, section 3.2), with a valid version, trace ID and parent ID. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/

const withoutSecrets = (path: string): string => path.replace(SECRETS_IN_PATHS, '/-')

/**
 * Records a span for each request, in the trace of the client or proxy if it sends one.
 * @param continuesAll whether requests without credentials continue traces too. They come from strangers, who would
 *   decide with `traceparent` whether their requests are traced.
 */
export const traceRequests =
  (continuesAll: boolean): Middleware =>
  (ctx, next) => {
    const parent =
      continuesAll || ctx.get('authorization') ? propagation.extract(ROOT_CONTEXT, ctx.headers) : ROOT_CONTEXT
    const attributes = {
      'http.request.method': ctx.method,
      'url.path': withoutSecrets(ctx.path),
      'canvass.request_id': ctx.state.requestId,
    }
    const span = tracer.startSpan(ctx.method, { kind: SpanKind.SERVER, attributes }, parent)
    ctx.state.spanIds = spanFields(span)
    ctx.res.once('close', () => {
      const operation = operationName(ctx)
      span.setAttributes({
        'http.response.status_code': ctx.status,
        'canvass.operation': operation,
        'canvass.aborted': !ctx.res.writableFinished || undefined,
      })
      if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: `HTTP status ${ctx.status}` })
      span.updateName(`${ctx.method} ${operation}`)
      span.end()
    })
    return context.with(trace.setSpan(context.active(), span), next)
  }

/**
 * Logs one line per request after its reply: its span, or else the trace ID of the client or proxy; method, path
 * without query and secrets, status, network (not of respondents), ID of the account, duration in milliseconds.
 */
export const requestLog =
  (log: Log): Middleware =>
  (ctx, next) => {
    const start = performance.now()
    ctx.state.log = log
    ctx.res.once('close', () => {
      log.info({
        id: ctx.state.requestId,
        trace_id: TRACEPARENT.exec(ctx.get('traceparent'))?.[1],
        ...ctx.state.spanIds,
        method: ctx.method,
        path: withoutSecrets(ctx.path),
        status: ctx.status,
        network: RESPONDENT_PATHS.test(ctx.path) ? undefined : loggedNetwork(ctx.ip),
        account: ctx.state.actor?.id,
        ms: Math.round((performance.now() - start) * 100) / 100,
        aborted: !ctx.res.writableFinished || undefined,
      })
    })
    return next()
  }

/** How browsers use HTTPS for the host of the service (RFC 6797). `off` if the service has no HTTPS. */
export type TransportSecurity = 'off' | 'host' | 'subdomains'

const securityPolicy = (transport: TransportSecurity) =>
  helmet({
    strictTransportSecurity: transport !== 'off' && { includeSubDomains: transport === 'subdomains' },
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: false,
  })

/**
 * Sets the security headers of every reply. They are constant, so helmet computes them once and not for every request.
 */
export async function securityHeaders(transport: TransportSecurity): Promise<Middleware> {
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  await securityPolicy(transport)({ req, res } as Context, async () => {})
  const headers = res.getHeaderNames().map((name) => [name, res.getHeader(name)!] as const)
  headers.push(['content-security-policy', contentSecurityPolicy()])
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value)
    return next()
  }
}

/** The paths that pages of other origins may call: the API, its documents, and the token and revocation endpoints. */
const CROSS_ORIGIN_PATHS = /^\/(api|openapi|accounts\/oauth\/(token|revoke))(\/|$)/

/** Seconds for which browsers keep the reply to a preflight request; Chromium keeps the reply for at most this time. */
const PREFLIGHT_SECONDS = 7200

/**
 * Lets pages of other origins call the API from a browser (Fetch, CORS). The browser sends only credentials that the
 * page itself has set: no cookies and no stored passwords.
 * @param origins `*`: any
 * @param exposeHeaders the reply headers that these pages can read
 */
export function crossOrigin(origins: ReadonlySet<string> | '*', exposeHeaders: string[]): Middleware {
  const allow = cors({
    origin: (ctx) => (origins === '*' ? '*' : origins.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    exposeHeaders,
    maxAge: PREFLIGHT_SECONDS,
  })
  return (ctx, next) => (CROSS_ORIGIN_PATHS.test(ctx.path) ? allow(ctx, next) : next())
}
