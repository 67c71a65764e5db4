import { sql } from 'kysely'
import { JOB_SCHEMA } from '../../lib/job-queue.ts'
import type { PublicContext } from '../context.ts'
import { enqueueAll } from '../jobs.ts'
import { isUnlocked } from './advisory-lock.ts'

/** Maximum time between the start of a job and the moment when its worker locks the email. */
const MAX_START_SECONDS = 2

/**
 * Finds the jobs whose workers were interrupted, and replaces each with a new job. A worker locks the email that it
 * sends, and the lock ends with the process of the worker. If the email of an active job is not locked, the worker of
 * the job no longer runs.
 * @returns the ids of the emails
 */
export const replaceAbandonedJobs = (context: PublicContext): Promise<number[]> =>
  context.em.transactional(async (em) => {
    const schema = sql.id(JOB_SCHEMA)
    const { rows } = await sql<{ email: number; owner: number }>`
      delete from ${schema}.job using email
      where job.name = 'send-email' and job.state = 'active' and email.id = (job.data->>'email')::int
        and email.status = 'scheduled' and ${isUnlocked(sql.ref('email.id'))}
        and job.started_on < ${schema}.job_now() - make_interval(secs => ${MAX_START_SECONDS})
      returning email.id as email, email.owner_id as owner`.execute(em.getKysely())
    const entries = rows.map(({ email, owner }) => ({ payload: { email }, urgent: true, group: String(owner) }))
    if (entries.length) await enqueueAll({ ...context, em }, 'send-email', entries)
    return rows.map(({ email }) => email)
  })
