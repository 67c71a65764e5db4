import { type Client, escapeIdentifier } from 'pg'
import { JOB_SCHEMA } from '../lib/job-queue.ts'

/**
 * The format of a backup: a tar archive, compressed with Zstandard and optionally encrypted with age, so that `age`,
 * `zstd` and `tar` can open it. Its entries, in this order:
 *
 * - `backup.json`: the {@link BackupHeader}
 * - `secret-key`: the secret key, unless it was left out
 * - `data/<schema>.<table>/<number>.copy`: the rows of a table as text of `COPY`, in parts
 * - `manifest.json`: the {@link Manifest}; a backup without it is incomplete
 */
export const FORMAT_VERSION = 1
export const HEADER_ENTRY = 'backup.json'
export const SECRET_KEY_ENTRY = 'secret-key'
export const MANIFEST_ENTRY = 'manifest.json'

/** Size of a part of a table in bytes. */
export const PART_BYTES = 1024 * 1024

/** A table and its stored columns. Generated columns are not stored, because the restore computes them. */
export interface TableColumns {
  /** `schema.table`, unquoted. */
  name: string
  columns: string[]
}

export interface BackupHeader {
  format: 'canvass-backup'
  formatVersion: number
  programVersion: string
  createdAt: string
  /** Version of PostgreSQL, for example `18.4`. */
  postgresql: string
  /** Names of the migrations of the schema. */
  migrations: string[]
  secretKey: {
    /** Identifies the key without revealing it; absent: the key was unknown. */
    fingerprint?: string
    included: boolean
  }
  tables: TableColumns[]
}

/** The rows that were read from one table. */
export interface TableSummary {
  rows: number
  bytes: number
  /** SHA-256 of the rows as text of `COPY`, in hexadecimal. */
  sha256: string
}

export interface Manifest {
  tables: Record<string, TableSummary>
  /** The state of each sequence, read after the rows. */
  sequences: { name: string; lastValue: string; isCalled: boolean }[]
}

/** Returns the name of a part of a table. @param part counted from 1 */
export const partEntry = (table: string, part: number): string =>
  `data/${encodeURIComponent(table)}/${String(part).padStart(8, '0')}.copy`

/** Returns the table of a part, or undefined for another entry. */
export function tableOf(entry: string): string | undefined {
  const [, table] = /^data\/([^/]+)\/\d{8,}\.copy$/.exec(entry) ?? []
  return table && decodeURIComponent(table)
}

/** A backup or restore that cannot continue. The message states what to do. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/**
 * Tables of the job queue in a backup. The other tables of the queue contain its schema version, which the restore
 * installs, and statistics.
 */
const JOB_TABLES = ['queue', 'schedule', 'subscription', 'job', 'job_dependency']

/** Settings that make the text of values independent of the settings of the server. */
export const TEXT_SETTINGS = `set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set timezone = 'UTC'; set bytea_output = 'hex'; set extra_float_digits = 1; set xmloption = 'content'`

/**
 * Selects the tables and their stored columns. Leaves out the tables of extensions, and partitions, whose rows are read
 * from the partitioned table.
 */
const TABLES = `
  select n.nspname || '.' || c.relname as name, array(select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and (n.nspname = 'public' or n.nspname = $1 and c.relname::text = any($2))
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by n.nspname <> 'public', c.relname`

/** Returns the tables of a backup: all tables of the schema `public`, and the jobs. */
export async function listTables(client: Client): Promise<TableColumns[]> {
  return (await client.query<TableColumns>(TABLES, [JOB_SCHEMA, JOB_TABLES])).rows
}

/** Returns the states of the sequences of the schema `public`. */
export async function listSequences(client: Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select sequencename::text as name from pg_sequences where schemaname = 'public' order by 1`,
  )
  const sequences: Manifest['sequences'] = []
  for (const { name } of rows) {
    const state = await client.query<{ lastValue: string; isCalled: boolean }>(
      `select last_value::text as "lastValue", is_called as "isCalled" from public.${escapeIdentifier(name)}`,
    )
    sequences.push({ name, ...state.rows[0]! })
  }
  return sequences
}

/** Returns the names of the migrations of a database; none if it has no schema. */
export async function listMigrations(client: Client): Promise<string[]> {
  const { rows: existing } = await client.query(`select from pg_class where oid = to_regclass('public.migration')`)
  if (!existing.length) return []
  return (await client.query<{ name: string }>('select name from public.migration order by id')).rows.map(
    ({ name }) => name,
  )
}

/** Quotes `schema.table` for a statement. */
export function quoteTable(name: string): string {
  const dot = name.indexOf('.')
  return `${escapeIdentifier(name.slice(0, dot))}.${escapeIdentifier(name.slice(dot + 1))}`
}

/** Quotes and joins the names of columns. */
export const quoteColumns = (columns: readonly string[]): string => columns.map(escapeIdentifier).join(', ')

/** Whether a table belongs to the job queue, whose schema is versioned by its library. */
export const isJobTable = (name: string): boolean => name.startsWith(`${JOB_SCHEMA}.`)
