import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { temporaryFolder } from './temp-postgres.ts'

/** A PostgreSQL server with a replica: two clusters that are connected by streaming replication. */
export interface ReplicatedPostgres {
  primary: EmbeddedDatabase
  replica: EmbeddedDatabase
  /** Stops the replica. */
  stopReplica(): Promise<void>
  /** Starts the replica again, on another port. */
  startReplica(): Promise<EmbeddedDatabase>
  /** Stops both servers and deletes their folders. */
  stop(): Promise<void>
}

/** Runs a statement on a database, and returns its rows. */
export async function runSql<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

/**
 * Starts a server with the durability settings of production. Copies the running server, and starts the copy as a
 * replica.
 */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = temporaryFolder()
  const [source, copy] = [path.join(folder, 'pg'), path.join(folder, 'replica')]
  const primary = await startEmbedded(source)
  await copyCluster(primary, source, copy)
  const servers: ReplicatedPostgres = {
    primary,
    replica: await startEmbedded(copy),
    stopReplica: () => servers.replica.stop(),
    async startReplica() {
      servers.replica = await startEmbedded(copy)
      return servers.replica
    },
    async stop() {
      await servers.replica.stop()
      await primary.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return servers
}

/**
 * Copies a running cluster with the low-level API for base backups of PostgreSQL, and configures the copy as a replica.
 */
async function copyCluster(primary: EmbeddedDatabase, source: string, copy: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url() })
  await client.connect()
  await client.query(`select pg_backup_start('replica', fast => true)`)
  // Preserves the owner, under whom PostgreSQL runs.
  execFileSync('cp', ['-a', source, copy])
  execFileSync('cp', ['-a', `${source}.password`, `${copy}.password`])
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
  await client.end()
  rmSync(path.join(copy, 'postmaster.pid'), { force: true })
  const { uid, gid } = statSync(copy)
  const files = { backup_label: rows[0]!.labelfile, 'standby.signal': '' }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(copy, name), text, { mode: 0o600 })
    chownSync(path.join(copy, name), uid, gid)
  }
  const { hostname, port, username, password } = new URL(primary.url())
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`
  appendFileSync(path.join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\nhot_standby = on\n`)
}
