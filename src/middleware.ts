import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Context, Middleware } from 'koa'
import helmet from 'koa-helmet'
import type { Log } from './lib/log.ts'
import { contentSecurityPolicy } from './web/csp.ts'

/** A request id of somebody else's that is safe to repeat in headers and logs. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:+/=-]{1,128}$/

/** Gives every request an id: the caller's own when it is short and harmless, else a new one. */
export const requestId: Middleware = (ctx, next) => {
  const given = ctx.get('x-request-id')
  ctx.state.requestId = SAFE_REQUEST_ID.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  return next()
}

/** What in a path lets in whoever has it: the key of a response, the token of a shared report or of an unsubscribe link. */
const SECRETS_IN_PATHS = /\/[0-9a-f]{40}(?=\/|$)|(?<=^\/(?:unsubscribe|reports))\/[^/]+/gi

/**
 * One line a request, when its answer has been handed over: method, path without the query and without secrets, status, time in
 * milliseconds.
 */
export const requestLog =
  (log: Log): Middleware =>
  (ctx, next) => {
    const start = performance.now()
    ctx.state.log = log
    ctx.res.once('close', () => {
      log.info({
        id: ctx.state.requestId,
        method: ctx.method,
        path: ctx.path.replace(SECRETS_IN_PATHS, '/-'),
        status: ctx.status,
        ms: Math.round((performance.now() - start) * 100) / 100,
        aborted: !ctx.res.writableFinished || undefined,
      })
    })
    return next()
  }

const securityPolicy = (https: boolean) =>
  helmet({
    strictTransportSecurity: https,
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: false,
  })

/** The headers of every answer. They are the same each time, so helmet is asked once for them and not at every request. */
export async function securityHeaders(https: boolean): Promise<Middleware> {
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  await securityPolicy(https)({ req, res } as Context, async () => {})
  const headers = res.getHeaderNames().map((name) => [name, res.getHeader(name)!] as const)
  headers.push(['content-security-policy', contentSecurityPolicy()])
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value)
    return next()
  }
}
