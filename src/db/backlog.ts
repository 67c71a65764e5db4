import type { Pool } from 'pg'
import { JOB_SCHEMA } from '../lib/job-queue.ts'

/** Maximum time for reading the numbers, in milliseconds. */
const TIMEOUT_MS = 2_000
/**
 * Maximum number of emails, of deliveries and of file deletions that are counted. Each count reads an index or a table
 * that contains only waiting rows.
 */
const MAX_ROWS = 100_000

const waitingIn = (table: string, condition: string) =>
  `(select count(*)::integer from (select from ${table} where ${condition} limit ${MAX_ROWS}) as waiting)`

const BACKLOG = `select jobs.*,
  coalesce((select extract(epoch from now() - cron_on) from ${JOB_SCHEMA}.version), 'infinity')::float8 as silence,
  ${waitingIn('email_message', "state = 'queued'")} as emails,
  ${waitingIn('webhook_delivery', 'next_attempt_at is not null')} as deliveries,
  ${waitingIn('file_deletion', 'not uploading')} as "fileDeletions",
  webhooks.*
  from (select
    count(*) filter (where state < 'active' and start_after < now())::integer as waiting,
    coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after < now())), 0)::float8
      as oldest,
    count(*) filter (where state = 'failed')::integer as failed
    from ${JOB_SCHEMA}.job) as jobs,
  (select
    count(*) filter (where disabled_at is null and coalesce(paused_until <= now(), true))::integer as enabled,
    count(*) filter (where disabled_at is null and paused_until > now())::integer as paused,
    count(*) filter (where disabled_at is not null)::integer as disabled
    from webhook) as webhooks`

interface Row {
  waiting: number
  oldest: number
  failed: number
  silence: number
  emails: number
  deliveries: number
  fileDeletions: number
  enabled: number
  paused: number
  disabled: number
}

/**
 * Reads from the database how much work is waiting, and what has failed.
 * @throws Error if the database does not respond in time
 */
export async function readBacklog(pool: Pool) {
  const query = { text: BACKLOG, query_timeout: TIMEOUT_MS }
  const { rows } = await pool.query<Row>(query)
  const { waiting, oldest, failed, silence, emails, deliveries, fileDeletions, ...webhooks } = rows[0]!
  return {
    jobs: { waiting, oldestSeconds: oldest, failed },
    workerSilenceSeconds: silence,
    queuedEmails: emails,
    pendingDeliveries: deliveries,
    pendingFileDeletions: fileDeletions,
    webhooks,
  }
}
