import { sql } from 'kysely'
import type { PublicContext } from './context.ts'

/** Number of results that are kept. */
const KEPT_RUNS = 100

/** The times of the last scheduled backups, in seconds since 1970; 0: there was none. */
export interface BackupTimes {
  lastSuccess: number
  lastFailure: number
}

/** Records the result of a scheduled backup. @param error the reason of a failure; null: the backup succeeded */
export async function recordBackup({ em, now }: PublicContext, startedAt: Date, error: string | null): Promise<void> {
  await em.transactional(async (transaction) => {
    const db = transaction.getKysely()
    await sql`insert into backup_run (started_at, ended_at, error) values (${startedAt}, ${now}, ${error})`.execute(db)
    await sql`delete from backup_run where id <= (select max(id) from backup_run) - ${KEPT_RUNS}`.execute(db)
  })
}

/** Returns the times of the last scheduled backup that succeeded and of the last one that failed. */
export async function findBackupTimes({ em }: Pick<PublicContext, 'em'>): Promise<BackupTimes> {
  const { rows } = await sql<BackupTimes>`
    select coalesce(extract(epoch from max(ended_at) filter (where error is null)), 0)::float8 as "lastSuccess",
      coalesce(extract(epoch from max(ended_at) filter (where error is not null)), 0)::float8 as "lastFailure"
    from backup_run`.execute(em.getKysely())
  return rows[0]!
}
