import type { PublicContext } from './context.ts'
import type { JobName, JobPayloads } from './jobs.ts'

export interface JobOptions {
  /** Earliest time at which the job runs; absent: at once. */
  startAfter?: Date
  /** Runs before jobs of the same name that were queued earlier. */
  urgent?: boolean
}

/**
 * Queues a job for any free worker. Inside a transaction the job exists once the transaction commits. A job may run
 * twice, because its worker may stop after the work and before the acknowledgement: tasks are idempotent.
 */
export async function enqueue<Name extends JobName>(
  context: PublicContext,
  name: Name,
  payload: JobPayloads[Name],
  options: JobOptions = {},
): Promise<void> {
  await enqueueAll(context, name, [{ payload, ...options }])
}

/** Queues several jobs of one name with one statement, see {@link enqueue}. */
export async function enqueueAll<Name extends JobName>(
  { em, services }: PublicContext,
  name: Name,
  entries: readonly ({ payload: JobPayloads[Name] } & JobOptions)[],
): Promise<void> {
  await services.jobs.send(name, entries, em.isInTransaction() ? em.getTransactionContext() : undefined)
}
