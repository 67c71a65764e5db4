import { sql } from 'kysely'
import { assertAdministrator } from '../account/administrator.ts'
import type { Context } from '../context.ts'
import { MAX_COUNTED_ACCOUNTS } from './accounts.ts'

/** What administrators see first. */
export interface InstallationSummary {
  /** The version of PostgreSQL. */
  postgres: string
  /** The name of the last migration. */
  migration: string
  /** Up to 10,000, and one more if there are more. */
  users: number
  /** Invitations that wait, up to 10,000. */
  waitingMessages: number
  /** Jobs that failed in the last day. */
  failedJobs: number
  databaseBytes: number
  /** When the last scheduled backup was verified; null: never. */
  backup: Date | null
}

/**
 * Returns the version of the database, and the numbers that need attention. Each count has a limit, so that the time does
 * not grow with the tables.
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function describeInstallation(context: Context): Promise<InstallationSummary> {
  await assertAdministrator(context)
  const most = sql.lit(MAX_COUNTED_ACCOUNTS + 1)
  const { rows } = await sql<Omit<InstallationSummary, 'backup'> & { backup: string | null }>`select
    current_setting('server_version') as postgres,
    (select name from migration order by id desc limit 1) as migration,
    (select count(*)::integer from (select from account limit ${most}) as counted) as users,
    (select count(*)::integer from (select from email_message where state = 'queued' limit ${most}) as counted)
      as "waitingMessages",
    (select count(*)::integer from (select from pgboss.job where state = 'failed' limit ${most}) as counted)
      as "failedJobs",
    pg_database_size(current_database()) as "databaseBytes",
    (select max(ended_at) from backup_run where error is null) as backup`.execute(context.em.getKysely())
  const row = rows[0]!
  return {
    ...row,
    databaseBytes: Number(row.databaseBytes),
    backup: row.backup === null ? null : new Date(row.backup),
  }
}
