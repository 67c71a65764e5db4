import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CLOCK_OVERRIDE_SETTING } from 'pg-boss'
import { type ClusterDatabase, createDistributedDatabase } from './citus.ts'

const CONNECTED_TEMPLATE_TIMEOUT_MS = 10_000

/**
 * Creates an empty, migrated database. If CITUS_URL is set, the database is distributed over the nodes of that cluster.
 * @param options.usesTestClock whether the sessions read the time of the job queue from a pg-boss `TestClock`
 * @returns the URL of the database, and a function that drops it if the server outlives the run
 */
export async function createTestDatabase({ usesTestClock = false } = {}): Promise<ClusterDatabase> {
  const cluster = process.env.CITUS_URL
  if (cluster) {
    const database = await createDistributedDatabase(cluster)
    if (usesTestClock)
      await run(
        database.url,
        `alter database ${new URL(database.url).pathname.slice(1)} set ${CLOCK_OVERRIDE_SETTING} = 'on'`,
      )
    return database
  }
  const clone = ahead ?? cloneTemplate()
  ahead = cloneTemplate()
  // An error appears when the next suite waits for the database.
  ahead.catch(() => {})
  const { url, name } = await clone
  const server = serverUrl()
  if (usesTestClock) await run(server, `alter database ${name} set ${CLOCK_OVERRIDE_SETTING} = 'on'`)
  // The temporary server is deleted as a whole at the end of the run.
  const drop = async () => {
    if (process.env.TEST_DATABASE_URL) await run(server, `drop database if exists ${name} with (force)`)
  }
  return { url, drop }
}

/** The database of the next suite, which is cloned while the present suite runs. */
let ahead: ReturnType<typeof cloneTemplate> | undefined

async function cloneTemplate(): Promise<{ url: string; name: string }> {
  const name = `t_${process.env.JEST_WORKER_ID}_${randomBytes(6).toString('hex')}`
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  await run(serverUrl(), `create database ${name} template t_template strategy file_copy`)
  // A pooler in front of the server (tools/neighbours/postgresql.ts).
  url.port = process.env.TEST_POOLER_PORT ?? url.port
  return { url: url.href, name }
}

function serverUrl(): string {
  const server = process.env.TEST_SERVER_URL
  if (!server)
    throw new Error('createTestDatabase needs the global set-up in jest.config.mjs. Run the tests with Jest.')
  return server
}

/**
 * Runs a statement. Repeats the statement while another session is connected to the template database (error 55006).
 */
async function run(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    for (const deadline = Date.now() + CONNECTED_TEMPLATE_TIMEOUT_MS; ; await pause(25)) {
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
