import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { isDirectToLoopback, isLoopbackAddress } from './lib/loopback.ts'
import { shareMetrics } from './lib/process-metrics.ts'

export interface Probes {
  /**
   * Replies to `/healthz` (the process runs), `/readyz` (the database replies and the server is not stopping) and, if
   * permitted, `/metrics` (Prometheus).
   */
  answer: Middleware
  /** Records the duration of every other request by operation. */
  measure: Middleware
}

/** The state of a connection pool: all connections, the idle ones, and the requests that wait for a connection. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** The number of requests by priority: those in progress, and those rejected since the start because of overload. */
export interface RequestCounts {
  processing: Readonly<Record<string, number>>
  rejected: Readonly<Record<string, number>>
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/**
 * Returns whether a request may read the metrics, which reveal usage and error rates: with the metrics token, or directly from
 * this machine without a proxy.
 */
const mayReadMetrics = ({ req, headers }: Context, token: string | undefined): boolean => {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (token && bearer) return timingSafeEqual(sha256(bearer), sha256(token))
  return isLoopbackAddress(req.socket.remoteAddress ?? '') && isDirectToLoopback(headers)
}

/**
 * Creates the middleware for health checks and metrics.
 * @param pools connection pools by name
 * @param requests the requests in progress and the rejected ones
 * @param metricsToken the bearer token for other machines; undefined: only this machine may read the metrics
 * @param reads numbers of reads by database; undefined without replicas
 */
export function createProbes(
  ready: () => Promise<boolean>,
  pools: Readonly<Record<string, PoolCounts>>,
  requests: RequestCounts,
  metricsToken?: string,
  reads?: Readonly<Record<string, number>>,
): Probes {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = shareMetrics(registry)
  new Gauge({
    name: 'database_connections',
    help: 'Connections to the database by pool: total, idle, and requests waiting for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        this.set({ pool, state: 'total' }, totalCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
  new Gauge({
    name: 'http_requests_in_progress',
    help: 'Requests that the server processes, by priority: high for submissions and survey pages, normal for others.',
    labelNames: ['priority'],
    registers: [registry],
    collect() {
      for (const [priority, count] of Object.entries(requests.processing)) this.set({ priority }, count)
    },
  })
  new Counter({
    name: 'http_requests_rejected_total',
    help: 'Requests rejected with 503 because the server is overloaded, by priority.',
    labelNames: ['priority'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [priority, count] of Object.entries(requests.rejected)) this.inc({ priority }, count)
    },
  })
  if (reads)
    new Counter({
      name: 'database_reads_total',
      help: 'Reads that a replica can answer, by the database that answered: replica or primary.',
      labelNames: ['database'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [database, count] of Object.entries(reads)) this.inc({ database }, count)
      },
    })
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its reply.',
    labelNames: ['method', 'operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })

  return {
    answer: async (ctx, next) => {
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
          if (!mayReadMetrics(ctx, metricsToken)) return next()
          ctx.type = registry.contentType
          ctx.body = await metrics()
          return
        default:
          return next()
      }
    },
    measure: (ctx, next) => {
      const start = performance.now()
      ctx.res.once('close', () => {
        // An operation of a contract, or the name of a page.
        const { operation: matched } = ctx.state
        const operation: string = typeof matched === 'string' ? matched : (matched?.operationId ?? 'none')
        seconds.observe({ method: ctx.method, operation, status: ctx.status }, (performance.now() - start) / 1000)
      })
      return next()
    },
  }
}
