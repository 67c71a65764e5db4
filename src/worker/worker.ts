import { PgBoss } from 'pg-boss'
import type { PublicContext } from '../domain/context.ts'
import { type JobName, jobNames, jobs } from '../domain/jobs.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'
import type { Log } from '../lib/log.ts'
import { requeueAbandonedEmails } from './abandoned-emails.ts'
import type { Deliveries } from './deliveries.ts'
import type { Task, Tasks } from './task.ts'

/** Seconds between two looks for jobs that became due; new ones announce themselves. */
const POLL_INTERVAL_SECONDS = 2
/** Seconds between two looks for jobs of dead workers. */
const MONITOR_INTERVAL_SECONDS = 10
/** Connections for fetching and settling jobs; tasks use those of the entity manager. */
const MAX_CONNECTIONS = 3
/** How long running jobs may take to finish once the worker was told to stop, in milliseconds. */
const GRACE_MS = 25_000

export interface Worker {
  /** Takes no new job, and waits for those in hand; what is not done in time goes back to the queue. */
  stop(): Promise<void>
}

export interface WorkerParts {
  databaseUrl: string
  /** What pg is told of each connection; absent: nothing. */
  session?: object
  /** A fresh context for one job. */
  context(): PublicContext
  tasks: Tasks
  deliveries: Deliveries
  log: Log
}

/** Works jobs and delivers what webhooks wait for, together with every other worker on the same database, until it is stopped. */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { databaseUrl, session, context, tasks, deliveries, log } = parts
  const boss = new PgBoss({
    ...session,
    connectionString: databaseUrl,
    schema: JOB_SCHEMA,
    application_name: 'canvass-worker',
    max: MAX_CONNECTIONS,
    migrate: false,
    useListenNotify: true,
    superviseIntervalSeconds: MONITOR_INTERVAL_SECONDS,
    monitorIntervalSeconds: MONITOR_INTERVAL_SECONDS,
  })
  // The error may carry a whole connection, its secrets too.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'the job queue stumbled'))
  boss.on('warning', (warning) => log.warn({ warning }, 'the job queue warns'))
  await boss.start()
  try {
    await Promise.all(jobNames.map((name) => take(name)))
  } catch (error) {
    await boss.stop({ graceful: false })
    throw error
  }
  deliveries.start()
  const abandoned = requeueAbandonedEmails(context, log)
  return {
    stop: async () => {
      await abandoned.stop()
      await Promise.all([boss.stop({ timeout: GRACE_MS }), deliveries.stop()])
    },
  }

  async function take<Name extends JobName>(name: Name): Promise<void> {
    const { atOnce, cron } = jobs[name]
    const task: Task<Name> = tasks[name]
    const options = {
      localConcurrency: atOnce,
      pollingIntervalSeconds: POLL_INTERVAL_SECONDS,
      notifyPollingIntervalSeconds: POLL_INTERVAL_SECONDS,
      includeMetadata: true,
    } as const
    await boss.work<Parameters<Task<Name>>[1], void, typeof options>(name, options, async ([job]) => {
      if (!job) return
      try {
        await task(context(), job.data, job.signal)
      } catch (error) {
        const last = job.retryCount >= job.retryLimit
        log[last ? 'error' : 'warn'](
          { err: error, job: name, id: job.id, try: job.retryCount + 1, last },
          'a job failed',
        )
        throw error
      }
    })
    if (cron) await boss.schedule(name, cron, {})
    else await boss.unschedule(name)
  }
}
