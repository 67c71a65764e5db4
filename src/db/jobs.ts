import { PgBoss } from 'pg-boss'
import { type JobRule, jobNames, jobs, renamedJobs } from '../domain/jobs.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'

/** Seconds without a heartbeat after which a worker counts as dead and its jobs as failed. */
const HEARTBEAT_SECONDS = 20
/** Maximum duration of a job in seconds; longer work is divided into several jobs. */
const MAX_JOB_SECONDS = 900
/** Retention of finished jobs in seconds, for finding the cause of a failure. */
const RETENTION_SECONDS = 86_400

const queueOf = ({ retries, retryDelaySeconds, maxRetryDelaySeconds }: JobRule) => ({
  retryLimit: retries,
  retryDelay: retryDelaySeconds,
  retryBackoff: true,
  retryDelayMax: maxRetryDelaySeconds,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: MAX_JOB_SECONDS,
  deleteAfterSeconds: RETENTION_SECONDS,
  notify: true,
})

/** Migrates the tables of the job queue, creates a queue for each job, and moves pending jobs of renamed queues. */
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
    for (const [old, name, payload = (data: object) => data] of renamedJobs)
      if (known.has(old)) await moveJobs(boss, old, name, payload)
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Jobs moved per batch. */
const BATCH_SIZE = 100

async function moveJobs(boss: PgBoss, old: string, name: string, payload: (data: never) => object): Promise<void> {
  await boss.unschedule(old)
  const { cron } = jobs[name as keyof typeof jobs]
  for (;;) {
    const waiting = await boss.fetch(old, { batchSize: BATCH_SIZE, ignoreStartAfter: true })
    if (waiting.length === 0) break
    // Periodic jobs are created by their schedule.
    if (!cron) for (const { data } of waiting) await boss.send(name, payload(data as never))
    await boss.complete(
      old,
      waiting.map(({ id }) => id),
    )
  }
  await boss.deleteQueue(old)
}
