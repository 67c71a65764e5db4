import type { Middleware } from 'koa'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Probes {
  /** Answers `/healthz` (the process lives), `/readyz` (the database answers, not stopping) and `/metrics` (Prometheus). */
  answer: Middleware
  /** Counts and times every other request by the operation that answered it. */
  measure: Middleware
}

/** What a supervisor and a Prometheus ask of the process. */
export function createProbes(ready: () => Promise<boolean>): Probes {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
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
          const is = await ready()
          ctx.status = is ? 200 : 503
          ctx.body = { status: is ? 'ready' : 'not ready' }
          return
        }
        case '/metrics':
          ctx.type = registry.contentType
          ctx.body = await registry.metrics()
          return
        default:
          return next()
      }
    },
    measure: (ctx, next) => {
      const start = performance.now()
      ctx.res.once('close', () => {
        // An operation of a contract, or the name of a page.
        const { operation: met } = ctx.state
        const operation: string = typeof met === 'string' ? met : (met?.operationId ?? 'none')
        seconds.observe({ method: ctx.method, operation, status: ctx.status }, (performance.now() - start) / 1000)
      })
      return next()
    },
  }
}
