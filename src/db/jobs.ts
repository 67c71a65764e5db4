import { PgBoss } from 'pg-boss'
import { type JobRule, jobNames, jobs } from '../domain/jobs.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'

/** A worker that has not been heard of for so many seconds is taken for dead, and its jobs for failed. */
const HEARTBEAT_SECONDS = 20
/** No job may take longer, in seconds; a longer piece of work is several jobs. */
const MAX_JOB_SECONDS = 900
/** Done jobs are kept for a day, so that one can look what happened. */
const RETENTION_SECONDS = 86_400

const queueOf = ({ retries, delay, longest }: JobRule) => ({
  retryLimit: retries,
  retryDelay: delay,
  retryBackoff: true,
  retryDelayMax: longest,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: MAX_JOB_SECONDS,
  deleteAfterSeconds: RETENTION_SECONDS,
  notify: true,
})

/** Brings the tables of the job queue up to date, and its list of queues in step with the jobs there are. */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: JOB_SCHEMA, max: 1, supervise: false, schedule: false })
  boss.on('error', () => undefined)
  await boss.start()
  try {
    const known = new Set((await boss.getQueues()).map(({ name }) => name))
    for (const name of jobNames)
      await (known.has(name)
        ? boss.updateQueue(name, queueOf(jobs[name]))
        : boss.createQueue(name, queueOf(jobs[name])))
  } finally {
    await boss.stop({ graceful: false })
  }
}
