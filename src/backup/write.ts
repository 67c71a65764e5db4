import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, DatabaseError } from 'pg'
import { to } from 'pg-copy-streams'
import type { Pack } from 'tar-stream'
import { isDistributed } from '../db/citus/distribution.ts'
import { NO_STATEMENT_LIMIT } from '../db/orm.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { PROGRAM_VERSION } from '../lib/program-version.ts'
import { fingerprintOf } from './encryption.ts'
import {
  BackupError,
  type BackupHeader,
  FORMAT_VERSION,
  HEADER_ENTRY,
  listMigrations,
  listSequences,
  listTables,
  MANIFEST_ENTRY,
  type Manifest,
  PART_BYTES,
  partEntry,
  quoteColumns,
  quoteTable,
  SECRET_KEY_ENTRY,
  type TableColumns,
  type TableSummary,
  TEXT_SETTINGS,
} from './format.ts'

/** Reports the number of tables and rows so far. */
export type Progress = (tables: number, of: number, rows: number) => void

export interface WriteOptions {
  createdAt: Date
  /** The text of the secret key; undefined: unknown. */
  secretKey: string | undefined
  includesSecretKey: boolean
  progress: Progress
}

/**
 * Writes the rows of all tables, as of one moment, into an archive.
 * @param client a connection to the database of the URL, without time limits for statements
 * @throws {BackupError} when the database has no schema
 */
export async function writeBackup(client: Client, url: string, pack: Pack, options: WriteOptions): Promise<void> {
  await client.query(TEXT_SETTINGS)
  await beginSnapshot(client, url)
  const header = await describe(client, options)
  await addEntry(pack, HEADER_ENTRY, JSON.stringify(header, undefined, 2))
  if (options.includesSecretKey && options.secretKey) await addEntry(pack, SECRET_KEY_ENTRY, options.secretKey)
  const tables: Manifest['tables'] = {}
  let rows = 0
  for (const [index, table] of header.tables.entries()) {
    const report = (inTable: number) => options.progress(index, header.tables.length, rows + inTable)
    tables[table.name] = await writeTable(client, pack, table, report)
    rows += tables[table.name]!.rows
  }
  const manifest: Manifest = { tables, sequences: await listSequences(client) }
  await addEntry(pack, MANIFEST_ENTRY, JSON.stringify(manifest, undefined, 2))
  await client.query('commit')
  options.progress(header.tables.length, header.tables.length, rows)
  pack.finalize()
}

async function describe(client: Client, options: WriteOptions): Promise<BackupHeader> {
  const tables = await listTables(client)
  const migrations = await listMigrations(client)
  if (!migrations.length)
    throw new BackupError('The database is empty: it has no tables of Canvass. Check DATABASE_URL.')
  // A migration waits until the backup has finished.
  await client.query(`lock table ${tables.map(({ name }) => quoteTable(name)).join(', ')} in access share mode`)
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`)
  return {
    format: 'canvass-backup',
    formatVersion: FORMAT_VERSION,
    programVersion: PROGRAM_VERSION,
    createdAt: options.createdAt.toISOString(),
    postgresql: rows[0]!.version,
    migrations,
    secretKey: {
      ...(options.secretKey && { fingerprint: fingerprintOf(options.secretKey) }),
      included: options.includesSecretKey && options.secretKey !== undefined,
    },
    tables,
  }
}

/**
 * Copies the rows of a table into the archive.
 * @param report receives the number of rows of the table so far, after each part
 */
async function writeTable(
  client: Client,
  pack: Pack,
  { name, columns }: TableColumns,
  report: (rows: number) => void,
): Promise<TableSummary> {
  const stream = client.query(to(`copy (select ${quoteColumns(columns)} from ${quoteTable(name)}) to stdout`))
  const hash = createHash('sha256')
  const summary = { rows: 0, bytes: 0 }
  let chunks: Buffer[] = []
  let size = 0
  let part = 0
  const flush = async () => {
    part += 1
    await addEntry(pack, partEntry(name, part), Buffer.concat(chunks))
    chunks = []
    size = 0
    report(summary.rows)
  }
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk)
    chunks.push(chunk)
    size += chunk.length
    summary.bytes += chunk.length
    summary.rows += countLines(chunk)
    if (size >= PART_BYTES) await flush()
  }
  if (size) await flush()
  return { ...summary, sha256: hash.digest('hex') }
}

/** Counts the ends of lines. The text of `COPY` has one per row: line ends within values are escaped. */
export function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1
  return lines
}

/** Adds a file. Resolves when the archive can accept the next file. */
function addEntry(pack: Pack, name: string, content: Buffer | string): Promise<void> {
  const body = Buffer.from(content)
  return new Promise((resolve, reject) => {
    const entry = pack.entry({ name, size: body.length, mode: 0o600 }, (error) => (error ? reject(error) : resolve()))
    // If the archive is destroyed while it accepts the file, only this event says so.
    entry.on('error', reject)
    entry.end(body)
  })
}

/**
 * Maximum time in milliseconds for which an attempt waits for the lock, and the pause between two attempts. While an
 * attempt waits, writes wait behind it.
 */
const LOCK_LIMIT_MS = 2_000
const LOCK_PAUSE_MS = 1_000
const LOCK_ATTEMPTS = 30
/** SQLSTATEs of a lock that was not granted in time, and of a deadlock. */
const LOCK_ERRORS = new Set(['55P03', '40P01'])

/**
 * Begins a transaction in which all queries see the database as of one moment.
 *
 * On a distributed database, each node has a snapshot of its own. Every change of responses locks a row of survey_feed
 * first, so a lock on this table keeps all responses unchanged until each node has its snapshot: a few milliseconds.
 * @param client a connection to the database of the URL
 */
async function beginSnapshot(client: Client, url: string): Promise<void> {
  const begin = () => client.query('begin isolation level repeatable read read only')
  if (!(await isDistributed(client))) {
    await begin()
    return
  }
  const blocker = new DatabaseClient(connectionTo(url, { ...NO_STATEMENT_LIMIT, application_name: 'canvass-backup' }))
  await blocker.connect()
  try {
    await lockResponses(blocker)
    await begin()
    // There is one connection per node, because each connection has a separate snapshot.
    await client.query('set local citus.max_adaptive_executor_pool_size = 1')
    await client.query('select count(*) from survey_feed')
  } finally {
    await blocker.end()
  }
}

async function lockResponses(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_LIMIT_MS}; lock table survey_feed in exclusive mode`)
      return
    } catch (error) {
      await client.query('rollback')
      if (!LOCK_ERRORS.has((error as DatabaseError).code ?? '') || attempt === LOCK_ATTEMPTS) throw error
      await pause(LOCK_PAUSE_MS)
    }
  }
}
