import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { MigrationError, migrate, migrationNames, undoMigrations } from '../../src/db/migrate.ts'
import { createMigrationOrm } from '../../src/db/orm.ts'
import { rowsOf, schemaOf, sequencesOf } from '../support/compare-databases.ts'
import { waitUntil } from '../support/wait-until.ts'

let name: string
let url: string
beforeEach(() => {
  name = `m_${process.env.JEST_WORKER_ID}_${randomBytes(6).toString('hex')}`
  url = Object.assign(new URL(process.env.TEST_SERVER_URL!), { pathname: `/${name}` }).href
})
afterEach(() => query(process.env.TEST_SERVER_URL!, `drop database if exists ${name} with (force)`))

async function query(address: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

describe('migrate', () => {
  test('creates the database and runs every migration once when several servers start concurrently', async () => {
    const lines: string[] = []
    const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(url, { log: (line) => lines.push(line) })))
    const [first, ...others] = runs.sort((a, b) => b.length - a.length)
    expect(first!.length).toBeGreaterThan(20)
    expect(others).toEqual([[], [], []])
    expect(await query(url, 'select count(*)::int from migration')).toEqual([{ count: first!.length }])
    expect(lines.filter((line) => line.startsWith('Another server'))).toHaveLength(3)
    expect(lines.filter((line) => /^created the tables of version \d/.test(line))).toHaveLength(1)
  }, 60_000)

  test('disables the statement timeout, and does not keep a transaction open while it holds its advisory lock', async () => {
    await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
    await query(url, `alter database ${name} set statement_timeout = '50s'`)
    await query(url, `alter database ${name} set lock_timeout = '50s'`)
    // Records the timeouts that apply to each `create table` of a migration. The migrator ignores the table in which
    // they are recorded, because its name begins with “response”.
    await query(
      url,
      `create table response_seen (statement_timeout text, idle_timeout text, lock_timeout text, program text, holder text);
       create function record_limits() returns event_trigger language plpgsql as $$ begin
         insert into response_seen select current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
           current_setting('lock_timeout'), current_setting('application_name'), (select string_agg(distinct a.state, ', ') from pg_locks l
           join pg_stat_activity a using (pid) join pg_database d on d.oid = l.database
           where l.locktype = 'advisory' and l.granted and d.datname = current_database() and l.pid <> pg_backend_pid());
       end $$;
       create event trigger record_limits on ddl_command_start when tag in ('CREATE TABLE') execute function record_limits()`,
    )
    await migrate(url)
    await query(url, 'drop event trigger record_limits')
    const limits = `select distinct statement_timeout, idle_timeout, lock_timeout, holder from response_seen where program = 'canvass-migrate'`
    expect(await query(url, limits)).toEqual([
      { statement_timeout: '0', idle_timeout: '0', lock_timeout: '2s', holder: 'idle' },
    ])
    expect(
      await query(url, `select count(*) > 10 as many from response_seen where program = 'canvass-migrate'`),
    ).toEqual([{ many: true }])
  }, 60_000)

  test('waits for a locked table without blocking requests for long, and continues when the lock is released', async () => {
    await migrate(url)
    const orm = await createMigrationOrm(url)
    const migration = 'Migration20261122120000_paused_until'
    await orm.migrator.down({ migrations: [migration] })
    await orm.close()
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin; lock table webhook in access share mode')

    await expect(migrate(url, { lockLimitMs: 0 })).rejects.toThrow(MigrationError)
    const lines: string[] = []
    const migrating = migrate(url, { log: (line) => lines.push(line) })
    await waitUntil(async () => lines.includes(`${migration} waits for a lock`), 30_000)
    // Between two attempts to lock the table, the migration does not block requests.
    expect(await query(url, 'select count(*)::int from webhook')).toEqual([{ count: 0 }])
    await holder.query('commit')
    await holder.end()
    expect(await migrating).toEqual([migration])
  }, 60_000)

  test('creates in one transaction, or in one for each migration, what the migrator of MikroORM creates', async () => {
    await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
    const orm = await createMigrationOrm(url)
    await orm.migrator.up()
    await orm.close()
    await migrate(url)
    const contents = async () => {
      const { migration, ...rows } = await rowsOf(url)
      const names = migration!.map((row) => row.replace(/".*"|,[^,]*$/, ''))
      return { schema: await schemaOf(url), rows, names, sequences: await sequencesOf(url) }
    }
    const stepwise = await contents()
    const recreate = async () => {
      await query(process.env.TEST_SERVER_URL!, `drop database ${name}`)
      await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
    }
    await recreate()
    expect(await migrate(url, { only: migrationNames.slice(0, 1) })).toEqual(migrationNames.slice(0, 1))
    expect(await migrate(url)).toEqual(migrationNames.slice(1))
    expect(await contents()).toEqual(stepwise)
    await recreate()
    // A start that was interrupted has created the table only.
    const interrupted = await createMigrationOrm(url)
    await interrupted.migrator.getPending()
    await interrupted.close()
    expect(await migrate(url)).toEqual(migrationNames)
    expect(await contents()).toEqual(stepwise)
    expect(stepwise.schema.length).toBeGreaterThan(500)
  }, 120_000)

  test('updates the rules of a job only if they have changed', async () => {
    await migrate(url)
    const updates = `select name, updated_on::text from pgboss.queue order by name`
    const before = await query(url, updates)
    await migrate(url)
    expect(await query(url, updates)).toEqual(before)
    await query(url, `update pgboss.queue set retry_limit = 99 where name = 'back-up'`)
    await migrate(url)
    expect(await query(url, `select name from pgboss.queue where retry_limit = 99`)).toEqual([])
  }, 60_000)

  test('recreates the same schema after the migrations since the last release have been undone', async () => {
    await migrate(url)
    const schema = await schemaOf(url)
    const released = 'Migration20261123050000_image'
    const since = migrationNames.filter((name) => name > released)
    expect(await undoMigrations(url, released, () => undefined)).toEqual(since.toReversed())
    expect(await migrate(url)).toEqual(since)
    expect(await schemaOf(url)).toEqual(schema)
    await expect(undoMigrations(url, 'Migration1', () => undefined)).rejects.toThrow('does not have the migration')
  }, 60_000)
})
