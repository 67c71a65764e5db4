import { SpanKind, trace } from '@opentelemetry/api'
import type { Client } from 'pg'
import type { Log } from '../lib/log.ts'
import { recordError, tracer } from '../lib/tracing.ts'

/** Called when a statement starts. Returns the function to call when it ends, with the error if it failed. */
export type StatementObserver = (text: string) => ((error?: unknown) => void) | undefined

type Query = (query: unknown, ...rest: unknown[]) => unknown

/** Observes the statements of a client, except cursors and `COPY` statements, which take as long as their reader. */
export function observeStatements(client: Client, observers: readonly StatementObserver[]): void {
  const send = client.query.bind(client) as unknown as Query
  const query: Query = (statement, ...rest) => {
    const text = typeof statement === 'string' ? statement : (statement as { text?: string }).text
    if (text === undefined || typeof (statement as { submit?: unknown }).submit === 'function')
      return send(statement, ...rest)
    const ends = observers.map((observe) => observe(text))
    const end = (error?: unknown) => {
      for (const each of ends) each?.(error)
    }
    const callback = rest.at(-1)
    if (typeof callback === 'function')
      return send(statement, ...rest.slice(0, -1), (error: unknown, ...result: unknown[]) => {
        end(error)
        callback(error, ...result)
      })
    const sent = send(statement, ...rest) as Promise<unknown>
    sent.then(() => end(), end)
    return sent
  }
  client.query = query as unknown as Client['query']
}

/**
 * Records a span for each statement of a request or job. The spans contain the statements
 * without values, because values can be personal data. (The instrumentation of OpenTelemetry for `pg` records the
 * values that a query builder has written into a statement.)
 */
export const traceStatement: StatementObserver = (text) => {
  if (!trace.getActiveSpan()?.isRecording()) return undefined
  const query = withoutValues(text)
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': query }
  const name = /\w+/.exec(query)?.[0].toUpperCase() ?? 'STATEMENT'
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes })
  return (error) => {
    if (error) recordError(span, error)
    span.end()
  }
}

/** Maximum number of characters of a statement in logs and traces. */
const MAX_TEXT = 2_000

/**
 * Literals of SQL: texts, also with backslash escapes (`E'…'`), and numbers that are not part of a name or parameter.
 */
const LITERALS = /\bE'(?:\\.|''|[^'\\])*'|'(?:''|[^'])*'|(?<![\w$."])\d+(?:\.\d+)?\b/gis

/**
 * Replaces the values in a statement by question marks, so that logs and traces contain no answers and no personal
 * data. Truncates a long statement.
 */
const withoutValues = (text: string): string => text.replace(LITERALS, '?').replace(/\s+/g, ' ').slice(0, MAX_TEXT)

/** Which statements are logged. */
interface SlowQueryLog {
  /** Duration in milliseconds from which a statement is logged. */
  thresholdMs: number
  log: Log
}

/** Returns an observer that logs statements that take long. */
export const logSlowQueries =
  ({ thresholdMs, log }: SlowQueryLog): StatementObserver =>
  (text) => {
    const start = performance.now()
    return () => {
      const ms = performance.now() - start
      if (ms >= thresholdMs) log.warn({ ms: Math.round(ms), query: withoutValues(text) }, 'slow query')
    }
  }
