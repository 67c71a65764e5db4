import type { Client } from 'pg'
import { createOrm } from '../../db/orm.ts'
import { OTHER_KEY, wasUsedWithOtherKey } from '../../db/secret-key.ts'
import { verifySecurityLog } from '../../domain/security/verify.ts'
import { JOB_SCHEMA } from '../../lib/job-queue.ts'
import type { Findings } from './finding.ts'

/** Maximum number of seconds without a sign that a worker runs. Workers give such a sign every 30 to 60 seconds. */
const MAX_SILENCE_SECONDS = 180
/** Maximum number of seconds that a due job may wait. */
const MAX_WAIT_SECONDS = 300

const JOBS = `select
  (select extract(epoch from now() - cron_on)::float8 from ${JOB_SCHEMA}.version) as silence,
  count(*) filter (where state < 'active' and start_after < now())::integer as waiting,
  coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after < now())), 0)::float8 as oldest,
  count(*) filter (where state = 'failed')::integer as failed,
  array_agg(distinct name) filter (where state = 'failed') as failed_names
  from ${JOB_SCHEMA}.job`

interface Jobs {
  silence: number | null
  waiting: number
  oldest: number
  failed: number
  failed_names: string[] | null
}

/** Checks that a worker runs, that no job waits too long, and that no job has failed in the last day. */
export async function checkJobs(client: Client, found: Findings): Promise<void> {
  const { rows } = await client.query<Jobs>(JOBS)
  const { silence, waiting, oldest, failed, failed_names } = rows[0]!
  if (silence === null || silence > MAX_SILENCE_SECONDS)
    found.error(
      'worker',
      silence === null
        ? 'No worker has run yet.'
        : `No worker has run for ${Math.round(silence / 60)} minutes: emails and webhooks wait.`,
      'Start "canvass work", or start "canvass serve" with WORKER=on.',
    )
  else found.ok('worker', 'a worker runs')
  if (oldest > MAX_WAIT_SECONDS)
    found.warning(
      'waiting',
      `The oldest of the ${waiting} waiting jobs has been due for ${Math.round(oldest / 60)} minutes.`,
      'Read the log of the workers, and start more of them if they are busy.',
    )
  else found.ok('waiting', `due jobs that wait: ${waiting}`)
  if (failed)
    found.warning(
      'failed',
      `Jobs that failed in the last day: ${failed} (${failed_names!.join(', ')}).`,
      'Find "job failed" in the log of the workers. The entry contains the error.',
    )
  else found.ok('failed', 'no job has failed in the last day')
}

/** Verifies the security log, as the command `verify-log` does, if the secret key belongs to the database. */
export async function checkSecurityLog(client: Client, url: string, secretKey: Buffer, found: Findings): Promise<void> {
  if (await wasUsedWithOtherKey(client, secretKey)) return found.error('chain', OTHER_KEY.message, OTHER_KEY.mend)
  const orm = createOrm(url)
  try {
    const { errors, heads } = await verifySecurityLog({ em: orm.em.fork(), services: { secretKey } })
    const entries = heads.reduce((sum, { seq }) => sum + seq, 0)
    if (!errors.length) return found.ok('chain', `the security log is intact (${entries} entries)`)
    found.error(
      'chain',
      `The security log was changed: ${errors[0]}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}.`,
      'Run "canvass verify-log" for all errors. Someone with access to the database has changed it: find out who.',
    )
  } finally {
    await orm.close(true)
  }
}
