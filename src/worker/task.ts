import type { PublicContext } from '../domain/context.ts'
import type { JobName, JobPayloads } from '../domain/jobs.ts'

/**
 * Does one job. It may be done twice, so doing it again must do no harm. An error means: again later, by the job's rule.
 * @param context not in a transaction: a task opens one for its writes, and talks to the network outside of it
 * @param signal aborted when the job is no longer this worker's: stop, and write nothing more
 */
export type Task<Name extends JobName> = (
  context: PublicContext,
  payload: JobPayloads[Name],
  signal: AbortSignal,
) => Promise<void>

/** One task for every job: a missing one does not compile. */
export type Tasks = { readonly [Name in JobName]: Task<Name> }
