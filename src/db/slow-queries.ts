import type { Client } from 'pg'
import type { Log } from '../lib/log.ts'

/** Number of characters of a statement that the log contains. */
const MAX_TEXT = 2_000

/** Literals of SQL: texts, also with backslash escapes (`E'…'`), and numbers that are not part of a name or parameter. */
const LITERALS = /\bE'(?:\\.|''|[^'\\])*'|'(?:''|[^'])*'|(?<![\w$."])\d+(?:\.\d+)?\b/gis

/** Replaces the values in a statement by question marks, so that the log contains no answers and no personal data. */
export const withoutValues = (text: string): string =>
  text.replace(LITERALS, '?').replace(/\s+/g, ' ').slice(0, MAX_TEXT)

/** Which statements are logged. */
export interface SlowQueryLog {
  /** Duration in milliseconds from which a statement is logged. */
  thresholdMs: number
  log: Log
}

type Query = (query: unknown, ...rest: unknown[]) => unknown

/** Makes a client log statements that take long. Cursors and copies, which take as long as their reader, are not logged. */
export function logSlowQueries(client: Client, { thresholdMs, log }: SlowQueryLog): void {
  const send = client.query.bind(client) as unknown as Query
  const query: Query = (statement, ...rest) => {
    const text = typeof statement === 'string' ? statement : (statement as { text?: string }).text
    if (text === undefined || typeof (statement as { submit?: unknown }).submit === 'function')
      return send(statement, ...rest)
    const start = performance.now()
    const record = () => {
      const ms = performance.now() - start
      if (ms >= thresholdMs) log.warn({ ms: Math.round(ms), query: withoutValues(text) }, 'slow query')
    }
    const callback = rest.at(-1)
    if (typeof callback === 'function')
      return send(statement, ...rest.slice(0, -1), (...outcome: unknown[]) => {
        record()
        callback(...outcome)
      })
    return (send(statement, ...rest) as Promise<unknown>).finally(record)
  }
  client.query = query as unknown as Client['query']
}
