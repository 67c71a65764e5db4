import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Log } from './lib/log.ts'

/** A request id of somebody else's that is safe to repeat in headers and logs. */
const HARMLESS = /^[A-Za-z0-9._:+/=-]{1,128}$/

/** Gives every request an id: the caller's own when it is short and harmless, else a new one. */
export const requestId: Middleware = (ctx, next) => {
  const given = ctx.get('x-request-id')
  ctx.state.requestId = HARMLESS.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  return next()
}

/** One line a request, when its answer has been handed over: method, path without the query, status, time in milliseconds. */
export const requestLog =
  (log: Log): Middleware =>
  async (ctx, next) => {
    const start = performance.now()
    ctx.state.log = log
    ctx.res.once('close', () => {
      log.info({
        id: ctx.state.requestId,
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        ms: Math.round((performance.now() - start) * 100) / 100,
        aborted: !ctx.res.writableFinished || undefined,
      })
    })
    await next()
  }
