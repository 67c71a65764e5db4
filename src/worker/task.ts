import type { PublicContext } from '../domain/context.ts'
import type { JobName, JobPayloads } from '../domain/jobs.ts'

/**
 * Runs one job. A job may run twice, so its task must be idempotent. After an error, the job is retried by its rule
 * (jobs.ts).
 * @param context without a transaction; a task opens a transaction for its writes, and uses the network outside of it
 * @param signal aborted if the worker has lost the job; then the task must stop and write nothing more
 */
export type Task<Name extends JobName> = (
  context: PublicContext,
  payload: JobPayloads[Name],
  signal: AbortSignal,
) => Promise<void>

/** One task for each job; the compiler reports a missing task. */
export type Tasks = { readonly [Name in JobName]: Task<Name> }
