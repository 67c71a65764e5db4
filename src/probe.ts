import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { operationName } from './lib/http.ts'
import { isFromThisMachine } from './lib/network.ts'
import { PROGRAM_VERSION } from './lib/program-version.ts'
import { type Arrival, CHALLENGE_HEADER, DOCTOR_PATH, isGenuineChallenge, proofOf } from './lib/server-proof.ts'
import type { Metrics } from './metrics.ts'

export interface Probes {
  /**
   * Replies to `/healthz` (the process runs), `/readyz` (the database replies and the server is not stopping) and, if
   * permitted, `/metrics` (Prometheus).
   */
  answer: Middleware
  /** Records the duration of every other request by operation. */
  measure: Middleware
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/**
 * Returns whether a request may read the metrics, which reveal usage and error rates: with the metrics token or, if the
 * public address is an address of this machine, directly from this machine. Otherwise a proxy on this machine that adds
 * no header field would make the metrics public.
 */
const mayReadMetrics = ({ req, headers }: Context, { metricsToken, isLocal }: ProbeOptions): boolean => {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (metricsToken && bearer) return timingSafeEqual(sha256(bearer), sha256(metricsToken))
  return isLocal && isFromThisMachine(req)
}

export interface ProbeOptions {
  /** Returns whether the database replies and the server is not stopping. */
  ready(): Promise<boolean>
  metrics: Metrics
  /** The bearer token for the metrics; undefined: only requests of a local installation may read them. */
  metricsToken: string | undefined
  /** Whether the public address of the server is an address of this machine. */
  isLocal: boolean
  secretKey: Buffer
}

/** Returns how a request of `canvass doctor` arrived; undefined for other requests. Reads the body. */
async function arrivalOf(ctx: Context, secretKey: Buffer): Promise<Arrival | undefined> {
  const challenge = ctx.get(CHALLENGE_HEADER)
  if (!challenge || !isGenuineChallenge(secretKey, challenge)) return undefined
  let bodyBytes = 0
  for await (const chunk of ctx.req) bodyBytes += chunk.length
  return {
    proof: proofOf(secretKey, challenge),
    version: PROGRAM_VERSION,
    forwardedFor: ctx.get('x-forwarded-for'),
    forwardedProto: ctx.get('x-forwarded-proto'),
    forwardedPrefix: ctx.get('x-forwarded-prefix'),
    host: ctx.get('host'),
    address: ctx.ip,
    httpVersion: ctx.req.httpVersion,
    url: ctx.originalUrl,
    bodyBytes,
  }
}

/** Creates the middleware for health checks and metrics. */
export function createProbes(options: ProbeOptions): Probes {
  const { ready, metrics, secretKey } = options
  return {
    answer: async (ctx, next) => {
      const arrival = ctx.path.startsWith(DOCTOR_PATH) ? await arrivalOf(ctx, secretKey) : undefined
      if (arrival) {
        ctx.body = { status: 'ok', arrival }
        return
      }
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
      switch (ctx.path) {
        case '/healthz':
          ctx.body = { status: 'ok' }
          return
        case '/readyz': {
          const isReady = await ready()
          ctx.status = isReady ? 200 : 503
          ctx.body = { status: isReady ? 'ready' : 'not ready' }
          return
        }
        case '/metrics':
          if (!mayReadMetrics(ctx, options)) return next()
          ctx.type = metrics.contentType
          ctx.body = await metrics.read()
          return
        default:
          return next()
      }
    },
    measure: (ctx, next) => {
      const start = performance.now()
      ctx.res.once('close', () => {
        metrics.observeRequest(
          { method: ctx.method, operation: operationName(ctx), status: ctx.status },
          (performance.now() - start) / 1000,
        )
      })
      return next()
    },
  }
}
