import type { Tracing } from '../lib/tracing.ts'
import { withoutValues } from './slow-queries.ts'
import type { StatementObserver } from './statements.ts'

/**
 * Returns an observer that records a span for each statement of a request or job. The spans contain the statements
 * without values, because values can be personal data. (The instrumentation of OpenTelemetry for `pg` records the
 * values that a query builder has written into a statement.)
 */
export const traceStatements =
  (tracing: Tracing): StatementObserver =>
  (text) =>
    tracing.startStatement(() => withoutValues(text))
