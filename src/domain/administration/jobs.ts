import { sql } from 'kysely'
import { assertAdministrator } from '../account/administrator.ts'
import type { Context, PublicContext } from '../context.ts'
import { type JobName, jobNames } from '../jobs.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { recordSecurityEvent } from '../security/record.ts'

/** The jobs of one name. Jobs that succeeded are not counted. */
export interface QueueSummary {
  name: JobName
  /** Jobs that are due. */
  waiting: number
  /** Since when the oldest of them is due. */
  oldest: Date | null
  /** Jobs for a later time. */
  later: number
  running: number
  failed: number
}

/** A job that failed for the last time. */
export interface FailedJob {
  id: string
  name: JobName
  failedAt: Date
  attempts: number
  /** The message of the error. */
  reason: string
}

/** Maximum number of failed jobs in a list. */
const MAX_LISTED_JOBS = 100
const MAX_REASON_CHARACTERS = 500

/**
 * Returns the queues that have jobs, with one pass over the jobs. Jobs that succeeded are deleted after a short time, so
 * the table stays small.
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function listQueues(context: Context): Promise<QueueSummary[]> {
  await assertAdministrator(context)
  const { rows } = await sql<Omit<QueueSummary, 'oldest'> & { oldest: string | null }>`
    select name, count(*) filter (where state < 'active' and start_after <= ${context.now})::integer as waiting,
      min(start_after) filter (where state < 'active' and start_after <= ${context.now}) as oldest,
      count(*) filter (where state < 'active' and start_after > ${context.now})::integer as later,
      count(*) filter (where state = 'active')::integer as running,
      count(*) filter (where state = 'failed')::integer as failed
    from pgboss.job where state <= 'active' or state = 'failed' group by name order by name`.execute(
    context.em.getKysely(),
  )
  return rows
    .filter(({ name }) => jobNames.includes(name))
    .map((row) => ({ ...row, oldest: row.oldest === null ? null : new Date(row.oldest) }))
}

/** Returns when a worker last gave a sign that it runs; null: none has run yet. */
export async function workerSeenAt({ em }: PublicContext): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`select cron_on as at from pgboss.version`.execute(em.getKysely())
  return rows[0]?.at ? new Date(rows[0].at) : null
}

/**
 * Returns the jobs that failed last, up to 100. They are deleted after a day. Their payloads stay hidden, because they
 * can contain links that sign in.
 * @param names which jobs
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function listFailedJobs(context: Context, names: readonly JobName[] = jobNames): Promise<FailedJob[]> {
  await assertAdministrator(context)
  const { rows } = await sql<Omit<FailedJob, 'failedAt'> & { failedAt: string }>`
    select id, name, completed_on as "failedAt", retry_count + 1 as attempts,
      left(coalesce(output->>'message', output->'value'->>'message', output->>'value', ''), ${MAX_REASON_CHARACTERS}) as reason
    from pgboss.job where state = 'failed' and name = any(${[...names]}::text[])
    order by completed_on desc limit ${MAX_LISTED_JOBS}`.execute(context.em.getKysely())
  return rows.map((row) => ({ ...row, failedAt: new Date(row.failedAt) }))
}

const JOB_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Runs a failed job once more. Call it inside a transaction.
 * @throws {Problem} `user_not_found` unless the actor is an administrator, and for a job that has not failed
 */
export async function retryJob(context: Context, id: string): Promise<void> {
  await assertAdministrator(context)
  if (!JOB_ID.test(id)) throw problems.userNotFound()
  // As pg-boss does it, but without the delay of the last attempt.
  const { rows } = await sql<{ name: string }>`update pgboss.job
    set state = 'retry', retry_limit = retry_limit + 1, completed_on = null, start_after = ${context.now}
    where id = ${id}::uuid and state = 'failed' returning name`.execute(context.em.getKysely())
  if (!rows[0]) throw problems.userNotFound()
  await recordSecurityEvent(context, INSTALLATION, 'job_retried', { by: context.actor.id, job: rows[0].name })
}
