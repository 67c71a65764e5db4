import type { PgBoss, TestClock } from 'pg-boss'
import type { PublicContext } from '../../src/domain/context.ts'
import { type JobName, jobNames } from '../../src/domain/jobs.ts'
import { tasks } from '../../src/worker/tasks.ts'

/** A job that was run. */
export interface JobRun {
  name: JobName
  payload: unknown
  /** The error that the task threw. The job is retried later. */
  error?: unknown
}

/**
 * Runs all due jobs one after the other, including the jobs that they create. No worker runs during a test unless the
 * test starts one.
 *
 * @returns the jobs in the order in which they were run
 */
export async function runDueJobs(
  boss: PgBoss,
  clock: TestClock,
  context: () => PublicContext,
  handlers = tasks,
): Promise<JobRun[]> {
  await clock.setTime(context().now)
  const runs: JobRun[] = []
  for (let before = -1; before < runs.length; ) {
    before = runs.length
    for (const name of jobNames) for (const job of await boss.fetch<never>(name)) runs.push(await run(name, job))
  }
  return runs

  async function run(name: JobName, job: { id: string; data: never }): Promise<JobRun> {
    try {
      await handlers[name](context(), job.data, AbortSignal.timeout(60_000))
      await boss.complete(name, job.id)
      return { name, payload: job.data }
    } catch (error) {
      await boss.fail(name, job.id, { message: String(error) })
      return { name, payload: job.data, error }
    }
  }
}
