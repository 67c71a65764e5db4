import { type Client, escapeIdentifier } from 'pg'
import { JOB_SCHEMA } from '../lib/job-queue.ts'
import type { Manifest, TableColumns } from './format.ts'

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
