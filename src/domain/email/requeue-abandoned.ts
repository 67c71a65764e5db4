import { sql } from 'kysely'
import { JOB_SCHEMA } from '../../lib/job-queue.ts'
import type { PublicContext } from '../context.ts'
import { enqueueAll } from '../enqueue.ts'
import { isUnlocked } from './advisory-lock.ts'

/** Maximum time between the start of a job and its lock on the email in a live worker. */
const MAX_START_SECONDS = 2

/**
 * Replaces the jobs of dead workers by new ones: a worker locks its email by a database session, which ends with the process.
 * @returns the ids of the emails
 */
export const requeueAbandoned = (context: PublicContext): Promise<number[]> =>
  context.em.transactional(async (em) => {
    const schema = sql.id(JOB_SCHEMA)
    const { rows } = await sql<{ email: number }>`
      delete from ${schema}.job using email
      where job.name = 'send-email' and job.state = 'active' and email.id = (job.data->>'email')::int
        and email.status = 'scheduled' and ${isUnlocked(sql.ref('email.id'))}
        and job.started_on < ${schema}.job_now() - make_interval(secs => ${MAX_START_SECONDS})
      returning email.id as email`.execute(em.getKysely())
    const entries = rows.map(({ email }) => ({ payload: { email }, urgent: true }))
    if (entries.length) await enqueueAll({ ...context, em }, 'send-email', entries)
    return rows.map(({ email }) => email)
  })
