import { PgBoss } from 'pg-boss'
import { type JobRule, jobNames, jobs, type RenamedJob, renamedJobs } from '../domain/jobs.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'

/** Seconds without a heartbeat after which a worker is treated as stopped, and its jobs as failed. */
const HEARTBEAT_SECONDS = 20
/** Default maximum duration of a job in seconds; longer work is divided into several jobs. */
const MAX_JOB_SECONDS = 900
/** Number of seconds for which finished jobs are kept, so that the cause of a failure can be found. */
const RETENTION_SECONDS = 86_400

const queueOf = ({ retries, retryDelaySeconds, maxRetryDelaySeconds, maxSeconds = MAX_JOB_SECONDS }: JobRule) => ({
  retryLimit: retries,
  retryDelay: retryDelaySeconds,
  retryBackoff: true,
  retryDelayMax: maxRetryDelaySeconds,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: maxSeconds,
  deleteAfterSeconds: RETENTION_SECONDS,
  notify: true,
})

/** Migrates the tables of the job queue, creates a queue for each job, and moves unfinished jobs of renamed queues. */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({
    ...connectionTo(url, { application_name: 'canvass-jobs', Client: DatabaseClient }),
    schema: JOB_SCHEMA,
    max: 1,
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => undefined)
  await boss.start()
  try {
    const existing = new Set((await boss.getQueues()).map(({ name }) => name))
    for (const name of jobNames)
      await (existing.has(name)
        ? boss.updateQueue(name, queueOf(jobs[name]))
        : boss.createQueue(name, queueOf(jobs[name])))
    for (const renamed of renamedJobs) if (existing.has(renamed.old)) await moveJobs(boss, renamed)
  } finally {
    await boss.stop({ graceful: false })
  }
}

/**
 * Moves the unfinished jobs of a queue, with their due times and attempts. Periodic jobs are not moved, because their
 * schedule creates them again.
 */
async function moveJobs(boss: PgBoss, { old, name, member = ['', ''] }: RenamedJob): Promise<void> {
  await boss.unschedule(old)
  if (!jobs[name].cron)
    await boss.getDb().executeSql(
      `update ${JOB_SCHEMA}.job set name = $2,
        data = case when data ? $3 then data - $3 || jsonb_build_object($4::text, data->$3) else data end
      where name = $1 and state < 'completed'`,
      [old, name, ...member],
    )
  await boss.deleteQueue(old)
}
