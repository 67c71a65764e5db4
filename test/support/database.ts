import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CLOCK_OVERRIDE_SETTING } from 'pg-boss'

const patienceMillis = 10_000

/**
 * An empty, migrated database of one's own: `url` to connect to, `drop` when done with it (open sessions are cut).
 * @param options.heedsTestClock each of its sessions reads the job queue's time from a pg-boss `TestClock`
 */
export async function freshDatabase({ heedsTestClock = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env.TEST_SERVER_URL
  if (!server) throw new Error('freshDatabase needs the global set-up of jest.config.mjs: run the tests with Jest')
  const name = `t_${process.env.JEST_WORKER_ID}_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  await run(server, `create database ${name} template t_template strategy file_copy`)
  if (heedsTestClock) await run(server, `alter database ${name} set ${CLOCK_OVERRIDE_SETTING} = 'on'`)
  return { url: url.href, drop: () => run(server, `drop database if exists ${name} with (force)`) }
}

/** 55006: somebody is still connected to the template, a suite beside us that clones or the migration's last session. */
async function run(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    for (const deadline = Date.now() + patienceMillis; ; await pause(25)) {
      try {
        await client.query(statement)
        return
      } catch (error) {
        if ((error as pg.DatabaseError).code !== '55006' || Date.now() > deadline) throw error
      }
    }
  } finally {
    await client.end()
  }
}
