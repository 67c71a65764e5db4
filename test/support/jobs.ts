import type { PgBoss, TestClock } from 'pg-boss'
import type { PublicContext } from '../../src/domain/context.ts'
import { type JobName, jobNames } from '../../src/domain/jobs.ts'
import { tasks } from '../../src/worker/tasks.ts'

/** What has been done, in order. */
export interface Worked {
  name: JobName
  payload: unknown
  /** What the task threw; the job waits for its next try. */
  error?: unknown
}

/**
 * Does every job that is due, one after the other, and those that it makes, until none is due any longer.
 * Nothing runs by itself in a test, so this is the only moment at which jobs are done.
 */
export async function workDueJobs(
  boss: PgBoss,
  clock: TestClock,
  context: () => PublicContext,
  handlers = tasks,
): Promise<Worked[]> {
  await clock.setTime(context().now)
  const worked: Worked[] = []
  for (let before = -1; before < worked.length; ) {
    before = worked.length
    for (const name of jobNames) for (const job of await boss.fetch<never>(name)) worked.push(await perform(name, job))
  }
  return worked

  async function perform(name: JobName, job: { id: string; data: never }): Promise<Worked> {
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
