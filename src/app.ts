import { fileURLToPath } from 'node:url'
import Koa, { type Middleware } from 'koa'
import { readAnonymous, readForm } from './api/engine/body.ts'
import { replyHeaderNames } from './api/engine/contract.ts'
import { mount } from './api/engine/mount.ts'
import type { MountOptions } from './api/engine/operation.ts'
import { receiveForm } from './api/engine/upload.ts'
import * as versions from './api/versions.ts'
import { createDocs } from './docs.ts'
import { publishedSchema } from './domain/structure/published-schema.ts'
import type { Log } from './lib/log.ts'
import {
  clientAddress,
  crossOrigin,
  forbidCaching,
  requestId,
  requestLog,
  resetFailedReplies,
  securityHeaders,
  streamLongTexts,
  traceRequests,
} from './middleware.ts'
import { authorization } from './oauth/authorize.ts'
import { createOAuth } from './oauth/index.ts'
import type { Probes } from './probe.ts'
import { createApiIndex } from './web/api-index.ts'
import { serveBelow } from './web/base-path.ts'
import { createGuides } from './web/guides.ts'
import type { PageServices } from './web/page.ts'
import { serveEmbedScripts } from './web/respondent/embed-scripts.ts'
import { createPages } from './web/router.ts'

/** Error codes of a connection that the client has closed. */
const DISCONNECT_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'HPE_INVALID_EOF_STATE',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** The folder where `make docs` writes the API reference. */
const DOCS = fileURLToPath(new URL('../build/docs', import.meta.url))

export interface AppSettings {
  trustedProxies: number
  corsOrigins: ReadonlySet<string> | '*'
  /** Undefined if nothing is traced. */
  tracing: NodeJS.ProcessEnv | undefined
  /** Whether requests without credentials continue the trace of `traceparent`. */
  continuesTraces: boolean
  hstsSubdomains: boolean
}

/** Asks a middleware only for addresses that begin like those that it serves. */
const at =
  (beginning: RegExp, serve: Middleware): Middleware =>
  (ctx, next) =>
    beginning.test(ctx.path) ? serve(ctx, next) : next()

/** Creates the Koa application; the middleware runs in this order. */
export async function createApp(
  deps: MountOptions & Pick<PageServices, 'devMailbox'>,
  probes: Probes,
  log: Log,
  { trustedProxies, corsOrigins, tracing, continuesTraces, hstsSubdomains }: AppSettings,
): Promise<Koa> {
  // Trusts X-Forwarded-Host and X-Forwarded-Proto. `clientAddress` reads X-Forwarded-For.
  const app = new Koa({ proxy: trustedProxies > 0 })
  app.on('error', (error: NodeJS.ErrnoException, ctx?: Koa.Context) => {
    const id = ctx?.state.requestId
    if (error.code && DISCONNECT_CODES.has(error.code)) log.debug({ err: error, id }, 'client disconnected')
    else log.error({ err: error, id }, 'unexpected error')
  })
  app.use(forbidCaching)
  app.use(resetFailedReplies)
  app.use(streamLongTexts)
  app.use(serveBelow(deps.services.baseUrl))
  app.use(requestId)
  app.use(clientAddress(trustedProxies, log))
  app.use(probes.answer)
  if (tracing) app.use(traceRequests(continuesTraces))
  app.use(requestLog(log))
  app.use(probes.measure)
  const https = deps.services.baseUrl.startsWith('https:')
  app.use(await securityHeaders(https ? (hstsSubdomains ? 'subdomains' : 'host') : 'off'))
  const newestFirst = Object.entries(versions).reverse()
  const contracts = Object.fromEntries(newestFirst.map(([name, { contract }]) => [name, contract]))
  app.use(at(/^\/(?:docs|openapi|\.well-known)\b/, createDocs(contracts, publishedSchema, DOCS, deps.services.baseUrl)))
  app.use(at(/^\/docs\b/, createGuides(newestFirst.map(([name]) => name))))
  app.use(at(/^\/embed\//, serveEmbedScripts))
  app.use(at(/^\/api\/\w+\/?$/, createApiIndex(contracts, deps.services.baseUrl)))
  if (corsOrigins === '*' || corsOrigins.size)
    app.use(crossOrigin(corsOrigins, replyHeaderNames(Object.values(contracts))))
  for (const [, version] of newestFirst) app.use(await mount(version, deps))
  app.use(at(/^\/(?:accounts|\.well-known)\//i, createOAuth({ ...deps, readBody: readAnonymous })))
  for (const page of createPages({ ...deps, readForm, receiveForm, authorization })) app.use(page)
  return app
}
