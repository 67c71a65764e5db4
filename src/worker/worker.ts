import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import { PgBoss } from 'pg-boss'
import type { PublicContext } from '../domain/context.ts'
import { replaceAbandonedJobs } from '../domain/email/deliver.ts'
import { type JobName, jobNames, jobs } from '../domain/jobs.ts'
import { JOB_SCHEMA, TRACEPARENT_MEMBER } from '../lib/job-queue.ts'
import type { Log } from '../lib/log.ts'
import { type DatabaseOptions, followRoute } from '../lib/postgres-client.ts'
import { inSpan, linksTo } from '../lib/tracing.ts'
import type { Deliveries } from './deliveries.ts'
import type { Task, Tasks } from './tasks.ts'

/** Interval of polls for due jobs. New jobs are announced by NOTIFY. */
const POLL_INTERVAL_SECONDS = 2
/** Interval of searches for jobs of workers that have stopped. */
const MONITOR_INTERVAL_SECONDS = 10
/** Connections for fetching and completing jobs; tasks use the connections of the entity manager. */
const MAX_CONNECTIONS = 3
/** Maximum time that running jobs have to finish when the worker stops. */
const GRACE_MS = 25_000

export interface Worker {
  /** Stops fetching jobs and waits for the running ones; jobs that do not finish in time return to the queue. */
  stop(): Promise<void>
}

interface WorkerOptions {
  /** Options of `pg` for each connection. */
  connection: DatabaseOptions
  /** Returns a new context for one job. */
  context(): PublicContext
  tasks: Tasks
  deliveries: Deliveries
  /** Cron expressions (UTC) from the settings, for jobs whose rule has no cron expression. */
  schedules?: { readonly [Name in JobName]?: string | undefined }
  log: Log
}

/** Starts a worker: it runs jobs and delivers webhooks together with every other worker on the same database. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { connection, context, tasks, deliveries, schedules, log } = options
  const boss = new PgBoss({
    ...connection,
    schema: JOB_SCHEMA,
    max: MAX_CONNECTIONS,
    migrate: false,
    useListenNotify: true,
    superviseIntervalSeconds: MONITOR_INTERVAL_SECONDS,
    monitorIntervalSeconds: MONITOR_INTERVAL_SECONDS,
  })
  followRoute((boss.getDb() as unknown as { config: DatabaseOptions }).config)
  // Logs only the message, because the error can contain a connection with its secrets.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'job queue error'))
  boss.on('warning', (warning) => log.warn({ warning }, 'job queue warning'))
  await boss.start()
  try {
    await Promise.all(jobNames.map((name) => workOn(name)))
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

  async function workOn<Name extends JobName>(name: Name): Promise<void> {
    const { concurrency, concurrencyPerAccount, cron = schedules?.[name] } = jobs[name]
    const task: Task<Name> = tasks[name]
    const workOptions = {
      localConcurrency: concurrency,
      ...(concurrencyPerAccount && { localGroupConcurrency: concurrencyPerAccount }),
      pollingIntervalSeconds: POLL_INTERVAL_SECONDS,
      notifyPollingIntervalSeconds: POLL_INTERVAL_SECONDS,
      includeMetadata: true,
    } as const
    let worker: string | undefined
    worker = await boss.work<Parameters<Task<Name>>[1], void, typeof workOptions>(name, workOptions, async ([job]) => {
      if (!job) return
      const { [TRACEPARENT_MEMBER]: cause } = job.data as { [TRACEPARENT_MEMBER]?: string }
      const attributes = { 'canvass.job_id': job.id, 'canvass.attempt': job.retryCount + 1 }
      const options = { kind: SpanKind.CONSUMER, links: linksTo([cause]), attributes }
      await inSpan(`job ${name}`, options, ROOT_CONTEXT, async () => {
        try {
          await task(context(), job.data, job.signal)
        } catch (error) {
          const last = job.retryCount >= job.retryLimit
          log[last ? 'error' : 'warn'](
            { err: error, job: name, id: job.id, attempt: job.retryCount + 1, last },
            'job failed',
          )
          throw error
        }
      })
      // Jobs that are added together are announced once. After a success, the next one is
      // fetched now; after a failure, at the next poll.
      if (worker) boss.notifyWorker(worker)
    })
    if (cron) await boss.schedule(name, cron, {})
    else await boss.unschedule(name)
  }
}

const INTERVAL_MS = 2_000

interface AbandonedEmails {
  /** Stops searching, after the current search. */
  stop(): Promise<void>
}

/**
 * Requeues emails whose worker has stopped, every two seconds. The heartbeat of the job queue would detect a stopped
 * worker only after half a minute.
 */
function requeueAbandonedEmails(context: () => PublicContext, log: Log): AbandonedEmails {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= requeue(context(), log).finally(() => {
      running = undefined
    })
  }, INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

async function requeue(context: PublicContext, log: Log): Promise<void> {
  try {
    const emails = await replaceAbandonedJobs(context)
    if (emails.length) log.warn({ emails }, 'requeued the emails of dead workers')
  } catch (error) {
    log.warn({ err: error }, 'the search for abandoned emails failed')
  }
}
