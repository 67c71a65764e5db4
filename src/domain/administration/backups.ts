import { sql } from 'kysely'
import { assertAdministrator } from '../account/administrator.ts'
import type { Context } from '../context.ts'
import { enqueue } from '../jobs.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { recordSecurityEvent } from '../security/record.ts'

/** A backup that was made on schedule, or from the administration. */
export interface BackupRun {
  startedAt: Date
  endedAt: Date
  /** Why it failed; null: it was stored, read again and verified. */
  error: string | null
}

/** Maximum number of runs in a list. */
const MAX_LISTED_RUNS = 50

/**
 * Returns the last backups, newest first, and whether one waits or runs.
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function listBackupRuns(context: Context): Promise<{ runs: BackupRun[]; isUnderWay: boolean }> {
  await assertAdministrator(context)
  const { rows } = await sql<{ startedAt: string; endedAt: string; error: string | null }>`
    select started_at as "startedAt", ended_at as "endedAt", error from backup_run order by id desc
    limit ${MAX_LISTED_RUNS}`.execute(context.em.getKysely())
  const runs = rows.map(({ startedAt, endedAt, error }) => ({
    startedAt: new Date(startedAt),
    endedAt: new Date(endedAt),
    error,
  }))
  return { runs, isUnderWay: await isUnderWay(context) }
}

async function isUnderWay({ em }: Context): Promise<boolean> {
  const { rows } = await sql`select from pgboss.job where name = 'back-up' and state <= 'active' limit 1`.execute(
    em.getKysely(),
  )
  return rows.length > 0
}

/**
 * Queues a backup to the place of the settings, unless one waits or runs. Call it inside a transaction.
 * @returns false if one waits or runs already
 * @throws {Problem} `user_not_found` unless the actor is an administrator and the settings name a place
 */
export async function startBackup(context: Context): Promise<boolean> {
  await assertAdministrator(context)
  if (!context.services.backUpOnSchedule) throw problems.userNotFound()
  await sql`select pg_advisory_xact_lock(hashtext('canvass-start-backup'))`.execute(context.em.getKysely())
  if (await isUnderWay(context)) return false
  await enqueue(context, 'back-up', {})
  await recordSecurityEvent(context, INSTALLATION, 'backup_started', { by: context.actor.id })
  return true
}
