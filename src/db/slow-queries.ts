import type { Log } from '../lib/log.ts'
import type { StatementObserver } from './statements.ts'

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
export const withoutValues = (text: string): string =>
  text.replace(LITERALS, '?').replace(/\s+/g, ' ').slice(0, MAX_TEXT)

/** Which statements are logged. */
export interface SlowQueryLog {
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
