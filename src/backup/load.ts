import type { Client } from 'pg'
import { from } from 'pg-copy-streams'
import { installJobs, markRestore, migrate, migrationNames, unmarkRestore } from '../db/migrate.ts'
import { NO_STATEMENT_LIMIT } from '../db/orm.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { PROGRAM_VERSION } from '../lib/program-version.ts'
import {
  BackupError,
  type BackupHeader,
  isJobTable,
  listTables,
  type Manifest,
  quoteColumns,
  quoteTable,
  type TableColumns,
  TEXT_SETTINGS,
} from './format.ts'
import type { BackupItem } from './read.ts'
import { countLines, type Progress } from './write.ts'

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/**
 * Fills an empty database: migrates it to the schema of the backup, copies the rows, and migrates it to the current
 * schema. Until the end, the database is marked as incomplete.
 * @param items the items of the backup after the header, which `readBackup` verifies while this function reads them
 * @throws {BackupError} when the backup is newer than this program
 */
export async function loadBackup(
  url: string,
  header: BackupHeader,
  items: AsyncIterable<BackupItem>,
  progress: Progress,
): Promise<void> {
  assertKnown(header)
  await migrate(url, { only: header.migrations, restoring: true })
  await installJobs(url)
  const client = new DatabaseClient(connectionTo(url, NO_STATEMENT_LIMIT))
  await client.connect()
  try {
    await markRestore(client)
    await client.query(TEXT_SETTINGS)
    // Rows arrive in the order of table names, so references are checked at the end.
    const foreignKeys = await dropForeignKeys(client)
    const existing = await listTables(client)
    await client.query(`truncate ${existing.map(({ name }) => quoteTable(name)).join(', ')}`)
    const manifest = await copyTables(client, header, items, progress)
    for (const { name, lastValue, isCalled } of manifest.sequences)
      await client.query('select setval($1::regclass, $2, $3)', [quoteTable(`public.${name}`), lastValue, isCalled])
    for (const { table, name, definition } of foreignKeys)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    await migrate(url, { restoring: true })
    await client.query('analyze')
    await unmarkRestore(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** @throws {BackupError} when the backup has a migration that this program does not have */
function assertKnown({ migrations, programVersion }: BackupHeader): void {
  const unknown = migrations.filter((name) => !migrationNames.includes(name))
  if (unknown.length)
    throw new BackupError(
      `This backup was made by a newer version of Canvass (${programVersion}, with ${unknown.at(-1)}); this is version ${PROGRAM_VERSION}. Restore it with Canvass ${programVersion} or newer.`,
    )
}

/** Drops all foreign keys, except those that partitions inherit. @returns how to create them again */
async function dropForeignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and conparentid = 0 order by conrelid::regclass::text, conname`,
  )
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`)
  return rows
}

async function copyTables(
  client: Client,
  { tables }: BackupHeader,
  items: AsyncIterable<BackupItem>,
  progress: Progress,
): Promise<Manifest> {
  let current: { name: string; write(chunk: Buffer): Promise<void>; end(): Promise<void> } | undefined
  let rows = 0
  let manifest: Manifest | undefined
  for await (const item of items) {
    if (item.kind === 'manifest') manifest = item.manifest
    if (item.kind !== 'rows') continue
    if (current?.name !== item.table) {
      await current?.end()
      const index = tables.findIndex(({ name }) => name === item.table)
      progress(index, tables.length, rows)
      current = { name: item.table, ...(await copyInto(client, tables[index]!)) }
    }
    await current.write(item.chunk)
    rows += countLines(item.chunk)
  }
  await current?.end()
  progress(tables.length, tables.length, rows)
  // The reader has verified that the backup has a manifest.
  return manifest!
}

/**
 * Starts to copy rows into a table. The jobs of a backup can have the columns of an earlier schema of the job queue.
 * The database already has the current schema, and the library of the queue cannot migrate rows that are added later.
 * Jobs are therefore copied into a temporary table first. From there, the columns that exist in the current schema are
 * copied into the table of the queue.
 */
async function copyInto(client: Client, { name, columns }: TableColumns) {
  const staged = isJobTable(name)
  if (staged)
    await client.query(
      `create temporary table staged (${columns.map((column) => `${quoteColumns([column])} text`).join(', ')})`,
    )
  const target = staged ? 'staged' : quoteTable(name)
  const stream = client.query(from(`copy ${target} (${quoteColumns(columns)}) from stdin`))
  let failure: Error | undefined
  const finished = new Promise<void>((resolve) => {
    stream.once('finish', resolve)
    stream.once('error', (error) => {
      failure = error
      resolve()
    })
  })
  return {
    async write(chunk: Buffer) {
      if (failure) throw failure
      if (!stream.write(chunk)) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), finished])
    },
    async end() {
      stream.end()
      await finished
      if (failure) throw failure
      if (staged) await insertStaged(client, name, columns)
    },
  }
}

async function insertStaged(client: Client, name: string, columns: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attname::text = any($2) and attnum > 0 and not attisdropped`,
    [quoteTable(name), columns],
  )
  const casts = rows.map((column) => `${quoteColumns([column.name])}::${column.type}`)
  await client.query(
    `insert into ${quoteTable(name)} (${quoteColumns(rows.map((column) => column.name))}) overriding system value select ${casts.join(', ')} from staged`,
  )
  await client.query('drop table staged')
}
