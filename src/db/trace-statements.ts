import type { Tracing } from '../lib/tracing.ts'
import { withoutValues } from './slow-queries.ts'
import type { StatementObserver } from './statements.ts'

/**
 * Returns an observer that records a span for each statement of a request or job. The instrumentation of OpenTelemetry
 * for `pg` records statements with their values, which are personal data if the query builder has written them into the
 * text.
 */
export const traceStatements =
  (tracing: Tracing): StatementObserver =>
  (text) =>
    tracing.startStatement(() => withoutValues(text))
