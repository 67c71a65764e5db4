import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'

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
    const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(url, (line) => lines.push(line))))
    const [first, ...others] = runs.sort((a, b) => b.length - a.length)
    expect(first!.length).toBeGreaterThan(20)
    expect(others).toEqual([[], [], []])
    expect(await query(url, 'select count(*)::int from migration')).toEqual([{ count: first!.length }])
    expect(lines.filter((line) => line.startsWith('Another server'))).toHaveLength(3)
  }, 60_000)

  test('disables the statement timeout and holds its lock outside a transaction', async () => {
    await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
    await query(url, `alter database ${name} set statement_timeout = '50s'`)
    await query(url, `alter database ${name} set lock_timeout = '50s'`)
    // Records the limits of each statement of a migration. The migrator ignores tables of this name in its snapshot.
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
      { statement_timeout: '0', idle_timeout: '0', lock_timeout: '0', holder: 'idle' },
    ])
    expect(
      await query(url, `select count(*) > 10 as many from response_seen where program = 'canvass-migrate'`),
    ).toEqual([{ many: true }])
  }, 60_000)
})
