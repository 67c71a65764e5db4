import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, type DatabaseError, escapeIdentifier } from 'pg'
import { PgBoss } from 'pg-boss'
import { type JobRule, jobNames, jobs, type RenamedJob, renamedJobs } from '../domain/jobs.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { withDatabase } from '../lib/postgres-url.ts'
import { PROGRAM_VERSION } from '../lib/program-version.ts'
import type { MigrationStatements } from './migration-statements.ts'
import { createMigrationOrm, NO_STATEMENT_LIMIT, SHORT_LOCK_WAIT } from './orm.ts'
import { missingPrivileges } from './privileges.ts'

/** The key of the advisory lock that a migration holds. */
const LOCK_KEY = `hashtext('canvass-migrate')`
/** SQLSTATE of a database that does not exist. */
const INVALID_CATALOG_NAME = '3D000'
const INSUFFICIENT_PRIVILEGE = '42501'
/** SQLSTATEs of an existing database; the second occurs when two sessions create it at the same time. */
const ALREADY_EXISTS = new Set(['42P04', '23505'])
/** SQLSTATE of a statement that has reached `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'
/** Time in milliseconds after which the program stops trying to lock a table. */
const LOCK_LIMIT_MS = 600_000
/**
 * Pause between two attempts, in milliseconds. Requests that waited behind the first attempt run during the pause.
 */
const LOCK_PAUSE_MS = 2_000

/** A database that this program cannot migrate. The message states what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

interface MigrateOptions {
  /** Receives one line per step. */
  log?(line: string): void
  /** Runs only these migrations, and installs no jobs; for the restore of a backup. */
  only?: readonly string[]
  /** Whether the migration is part of the restore of a backup. */
  restoring?: boolean
  /** Duration of the attempts to lock a table, in milliseconds. */
  lockLimitMs?: number
  /** Ends waiting for other servers and for locks. A statement that is running is not interrupted. */
  signal?: AbortSignal | undefined
}

/** The names of all migrations of this program, in order. */
export const migrationNames: readonly string[] = readdirSync(new URL('./migrations', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))
  .sort()

/**
 * Creates the database if it does not exist, and migrates it. If several servers start at the same time, one of them
 * migrates and the others wait. Each migration has a separate transaction without a time limit for statements. It waits
 * only briefly for a lock, and tries again several times, so that the requests of a running server do not have to wait.
 * @returns the names of the migrations that ran
 * @throws {MigrationError} if a newer version has migrated the database, a restore did not finish, or a table stays
 *   locked
 * @throws the reason of the signal, if it ends the wait
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { log = () => undefined, signal } = options
  const session = await connect(url)
  const connectionLost = new Promise<never>((_, reject) => session.on('error', reject))
  connectionLost.catch(() => undefined)
  try {
    // The session holds this lock. If a transaction held it, the transaction would be idle during the migrations.
    const { rows } = await session.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as locked`)
    if (!rows[0]!.locked) {
      log('Another server is migrating the database; waiting until it has finished')
      await waitForLock(session, signal)
    }
    if (!options.restoring && (await isRestoreUnfinished(session)))
      throw new MigrationError(
        'The restore of this database did not finish. Run "canvass restore" again with the backup.',
      )
    await assertUnicode(session)
    const executed = await readExecuted(session)
    await assertPrivileges(session, executed)
    return await Promise.race([runMigrations(url, executed, options), connectionLost])
  } finally {
    await session.end().catch(() => undefined)
  }
}

/** Returns the names of the migrations that ran on a database; an empty list if it is new. */
async function readExecuted(session: Client): Promise<string[]> {
  const { rows } = await session.query<{ exists: boolean }>(`select to_regclass('migration') is not null as exists`)
  if (!rows[0]!.exists) return []
  const executed = await session.query<{ name: string }>('select name from migration order by id')
  return executed.rows.map(({ name }) => name)
}

/** @throws {MigrationError} when migrations are pending and the role lacks privileges that they need */
async function assertPrivileges(session: Client, executed: readonly string[]): Promise<void> {
  if (migrationNames.every((name) => executed.includes(name))) return
  const missing = await missingPrivileges(session)
  if (missing.length) throw new MigrationError(missing.map(({ message, mend }) => `${message} ${mend}`).join('\n'))
}

/** Waits until another server has migrated. The signal closes the connection, which ends the wait. */
async function waitForLock(session: Client, signal: AbortSignal | undefined): Promise<void> {
  const { stream } = (session as unknown as { connection: { stream: { destroy(): void } } }).connection
  const stop = () => stream.destroy()
  signal?.addEventListener('abort', stop)
  try {
    await session.query(`select pg_advisory_lock(${LOCK_KEY})`)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** @throws {MigrationError} when a new database cannot store every text; `doctor` reports an older one */
async function assertUnicode(session: Client): Promise<void> {
  const { rows } = await session.query<{ encoding: string; is_new: boolean }>(
    `select current_setting('server_encoding') as encoding, to_regclass('migration') is null as is_new`,
  )
  const { encoding, is_new } = rows[0]!
  if (is_new && encoding !== 'UTF8')
    throw new MigrationError(
      `The encoding of the database is ${encoding}, which cannot store every text. Create one with: create database ${escapeIdentifier(session.database!)} encoding 'UTF8' template template0;`,
    )
}

/**
 * Undoes all migrations that ran after a given migration, the last one first, so that an earlier version can use the
 * database. Everything that these migrations added is deleted.
 * @returns the names of the undone migrations
 * @throws {MigrationError} if the given migration has not run, or a newer version has migrated the database
 */
export async function undoMigrations(url: string, last: string, log: (line: string) => void): Promise<string[]> {
  const orm = await createMigrationOrm(url)
  try {
    const executed = (await orm.migrator.getExecuted()).map(({ name }) => name)
    assertKnown(executed)
    if (!executed.includes(last)) throw new MigrationError(`The database does not have the migration ${last}.`)
    const undone = executed.filter((name) => name > last).reverse()
    for (const name of undone) {
      await orm.migrator.down({ migrations: [name] })
      log(`undid ${name}`)
    }
    return undone
  } finally {
    await orm.close(true)
  }
}

async function connect(url: string): Promise<Client> {
  const client = new DatabaseClient(connectionTo(url, NO_STATEMENT_LIMIT))
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end()
    if ((error as DatabaseError).code !== INVALID_CATALOG_NAME) throw error
    await createDatabase(url, client.database!)
    return connect(url)
  }
}

/** Creates a database over a connection to the database `postgres`, which exists in every cluster. */
async function createDatabase(url: string, name: string): Promise<void> {
  const client = new DatabaseClient(connectionTo(withDatabase(url, 'postgres'), NO_STATEMENT_LIMIT))
  await client.connect()
  try {
    await client.query(`create database ${escapeIdentifier(name)}`)
  } catch (error) {
    const { code = '' } = error as DatabaseError
    if (code === INSUFFICIENT_PRIVILEGE)
      throw new MigrationError(
        `The database ${name} does not exist, and the role ${client.user} may not create it. Run in psql as a superuser: create database ${escapeIdentifier(name)} owner ${escapeIdentifier(client.user!)};`,
      )
    if (!ALREADY_EXISTS.has(code)) throw error
  } finally {
    await client.end()
  }
}

async function runMigrations(
  url: string,
  executed: readonly string[],
  { only, ...options }: MigrateOptions,
): Promise<string[]> {
  assertKnown(executed)
  const pending = (only ?? migrationNames).filter((name) => !executed.includes(name))
  if (pending.length) await runPending(url, !executed.length, pending, options)
  if (!only) await installJobs(url)
  return pending
}

/** As MikroORM creates it, which undoes migrations. */
const MIGRATION_TABLE =
  'create table if not exists migration (id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6))'

async function runPending(
  url: string,
  isNew: boolean,
  pending: readonly string[],
  { log = () => undefined, lockLimitMs = LOCK_LIMIT_MS, signal }: MigrateOptions,
): Promise<void> {
  const { statementsOf } = await import('./migration-statements.ts')
  const migrations = await statementsOf(pending)
  const client = new DatabaseClient(connectionTo(url, SHORT_LOCK_WAIT))
  // The statement that runs fails too.
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (isNew && (await createSchema(client, migrations)))
      return log(`created the tables of version ${PROGRAM_VERSION}`)
    for (const migration of migrations) {
      await runMigration(client, migration, { log, lockLimitMs, signal })
      log(`migrated ${migration.name}`)
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Runs all migrations of a new database in one transaction, which takes a fifth of the time.
 * @returns false if a table was locked: only the table of migrations was created, and the migrations can run one by one
 */
async function createSchema(client: Client, migrations: readonly MigrationStatements[]): Promise<boolean> {
  await client.query(MIGRATION_TABLE)
  try {
    await runInTransaction(
      client,
      migrations.map((each) => ({ ...each, statements: each.statements.map(forEmptyTable) })),
    )
    return true
  } catch (error) {
    if ((error as DatabaseError).code === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

async function runInTransaction(client: Client, migrations: readonly MigrationStatements[]): Promise<void> {
  try {
    await client.query(['begin', ...migrations.flatMap(({ statements }) => statements.map(withoutEnd))].join(';\n'))
    await recordMigrations(client, migrations)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

const withoutEnd = (statement: string): string => statement.trim().replace(/;$/, '')

/** Returns a statement without `concurrently`, which no transaction allows and no empty table needs. */
const forEmptyTable = (statement: string): string =>
  statement.trim().replace(/^((?:create(?: unique)?|drop) index) concurrently/i, '$1')

const recordMigrations = (client: Client, migrations: readonly MigrationStatements[]): Promise<unknown> =>
  client.query('insert into migration (name) select unnest($1::text[])', [migrations.map(({ name }) => name)])

/** @throws {MigrationError} when the database has a migration that this program does not have */
function assertKnown(executed: readonly string[]): void {
  const unknown = executed.filter((name) => !migrationNames.includes(name))
  if (!unknown.length) return
  throw new MigrationError(
    `The database was migrated by a newer version of Canvass (${unknown.at(-1)}); this is version ${PROGRAM_VERSION}. Start the newer version. To go back to this one, run with the newer version: canvass migrate --undo-after ${migrationNames.at(-1)}. See "Downgrade" in docs/operations.md.`,
  )
}

/** Runs one migration, again after each lock timeout. */
async function runMigration(
  client: Client,
  migration: MigrationStatements,
  { log, lockLimitMs, signal }: Required<Pick<MigrateOptions, 'log' | 'lockLimitMs'>> & Pick<MigrateOptions, 'signal'>,
): Promise<void> {
  const { name, statements, isTransactional } = migration
  for (const deadline = Date.now() + lockLimitMs; ; await pause(LOCK_PAUSE_MS, undefined, signal && { signal })) {
    signal?.throwIfAborted()
    try {
      if (isTransactional) return await runInTransaction(client, [migration])
      for (const statement of statements) await client.query(statement)
      await recordMigrations(client, [migration])
      return
    } catch (error) {
      if ((error as DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error
      if (Date.now() > deadline)
        throw new MigrationError(
          `${name} could not lock a table within ${lockLimitMs / 1000} seconds. Find the transaction that holds the lock in pg_stat_activity, end it with pg_terminate_backend, and start again. Nothing of this migration was changed.`,
        )
      log(`${name} waits for a lock`)
    }
  }
}

/** A table that exists in a database while a restore fills it, so that no server uses an incomplete database. */
const MARKER = 'public.unfinished_restore'

/** Marks the database as incomplete. */
export const markRestore = (client: Client): Promise<unknown> => client.query(`create table if not exists ${MARKER} ()`)

/** Marks the database as complete. */
export const unmarkRestore = (client: Client): Promise<unknown> => client.query(`drop table if exists ${MARKER}`)

/** Returns whether a restore has begun and not finished. */
export async function isRestoreUnfinished(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ marked: boolean }>(`select to_regclass('${MARKER}') is not null as marked`)
  return rows[0]!.marked
}

/** Seconds without a heartbeat after which a worker is treated as stopped, and its jobs as failed. */
const HEARTBEAT_SECONDS = 20
/** Default maximum duration of a job in seconds; longer work is divided into several jobs. */
const MAX_JOB_SECONDS = 900
/** Number of seconds for which finished jobs are kept, so that the cause of a failure can be found. */
const RETENTION_SECONDS = 86_400

const queueOf = ({ retries, retryDelaySeconds, maxRetryDelaySeconds, maxSeconds = MAX_JOB_SECONDS }: JobRule) => ({
  retryLimit: retries,
  retryDelay: retryDelaySeconds,
  retryBackoff: true,
  retryDelayMax: maxRetryDelaySeconds,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: maxSeconds,
  deleteAfterSeconds: RETENTION_SECONDS,
  notify: true,
})

/** Migrates the tables of the job queue, creates a queue for each job, and moves unfinished jobs of renamed queues. */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({
    ...connectionTo(url, { application_name: 'canvass-jobs', Client: DatabaseClient }),
    schema: JOB_SCHEMA,
    max: 1,
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => undefined)
  await boss.start()
  try {
    const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
    for (const name of jobNames) {
      const [queue, options] = [existing.get(name), queueOf(jobs[name])]
      if (!queue) await boss.createQueue(name, options)
      else if (!isSubset(options, queue)) await boss.updateQueue(name, options)
    }
    for (const renamed of renamedJobs) if (existing.has(renamed.old)) await moveJobs(boss, renamed)
  } finally {
    await boss.stop({ graceful: false })
  }
}

const isSubset = (options: object, queue: object): boolean =>
  Object.entries(options).every(([name, value]) => (queue as Record<string, unknown>)[name] === (value ?? null))

/**
 * Moves the unfinished jobs of a queue, with their due times and attempts. Periodic jobs are not moved, because their
 * schedule creates them again.
 */
async function moveJobs(boss: PgBoss, { old, name, member = ['', ''] }: RenamedJob): Promise<void> {
  await boss.unschedule(old)
  if (!jobs[name].cron)
    await boss.getDb().executeSql(
      `update ${JOB_SCHEMA}.job set name = $2,
        data = case when data ? $3 then data - $3 || jsonb_build_object($4::text, data->$3) else data end
      where name = $1 and state < 'completed'`,
      [old, name, ...member],
    )
  await boss.deleteQueue(old)
}
