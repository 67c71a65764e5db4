import { sql } from 'kysely'
import type { PublicContext } from '../domain/context.ts'
import { isUnlocked } from '../domain/email/advisory-lock.ts'
import { enqueueAll } from '../domain/enqueue.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'
import type { Log } from '../lib/log.ts'

const INTERVAL_MS = 2_000
/** The longest time that a live worker takes from the start of a job until it has locked its e-mail. */
const MAX_START_SECONDS = 2

export interface AbandonedEmails {
  /** Stops searching, after the current search. */
  stop(): Promise<void>
}

/**
 * Requeues e-mails whose worker has died, every two seconds. A worker locks its e-mail by a database session, which ends with
 * the process; the heartbeat of the job queue detects a dead worker only after half a minute.
 */
export function requeueAbandonedEmails(context: () => PublicContext, log: Log): AbandonedEmails {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= requeue(context(), log)
      .catch((error) => log.warn({ err: error }, 'the search for abandoned e-mails failed'))
      .finally(() => {
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

/** Replaces the jobs of dead workers by new ones. */
async function requeue(context: PublicContext, log: Log): Promise<void> {
  const schema = sql.id(JOB_SCHEMA)
  await context.em.transactional(async (em) => {
    const { rows } = await sql<{ email: number }>`
      delete from ${schema}.job using email
      where job.name = 'send-email' and job.state = 'active' and email.id = (job.data->>'email')::int
        and email.status = 'scheduled' and ${isUnlocked(sql.ref('email.id'))}
        and job.started_on < ${schema}.job_now() - make_interval(secs => ${MAX_START_SECONDS})
      returning email.id as email`.execute(em.getKysely())
    if (!rows.length) return
    const entries = rows.map(({ email }) => ({ payload: { email }, urgent: true }))
    await enqueueAll({ ...context, em }, 'send-email', entries)
    log.warn(
      { emails: rows.map(({ email }) => email) },
      'the workers of these e-mails have died: they are queued again',
    )
  })
}
