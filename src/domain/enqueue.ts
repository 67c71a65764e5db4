import type { PublicContext } from './context.ts'
import type { JobName, JobPayloads } from './jobs.ts'

export interface JobOptions {
  /** Earliest time at which the job runs; absent: immediately. */
  startAfter?: Date
  /** Runs before jobs of the same name that were queued earlier. */
  urgent?: boolean
  /** The account for which the job runs, for jobs with a limit for each account. */
  group?: string
}

/**
 * Queues a job. In a transaction, the job is queued when the transaction commits. Every job must be idempotent: it can
 * run twice, because a worker can stop between the work and its acknowledgement.
 */
export async function enqueue<Name extends JobName>(
  context: PublicContext,
  name: Name,
  payload: JobPayloads[Name],
  options: JobOptions = {},
): Promise<void> {
  await enqueueAll(context, name, [{ payload, ...options }])
}

/** Queues several jobs of the same name with one statement, as {@link enqueue} does. */
export async function enqueueAll<Name extends JobName>(
  { em, services }: PublicContext,
  name: Name,
  entries: readonly ({ payload: JobPayloads[Name] } & JobOptions)[],
): Promise<void> {
  await services.jobs.send(name, entries, em.isInTransaction() ? em.getTransactionContext() : undefined)
}
