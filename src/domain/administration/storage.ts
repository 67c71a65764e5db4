import { sql } from 'kysely'
import { assertAdministrator } from '../account/administrator.ts'
import type { Context } from '../context.ts'

/** The kinds of data, with the tables of each. A table belongs to the first kind that matches its name. */
const KINDS = [
  ['responses', /^(response(_change|_revision|_mark)?|page_draft|idempotency_key|used_invite)$/],
  ['files', /^(uploaded_file|file_deletion|image|storage_warning)/],
  ['statistics', /^(response_|coding_|report|saved_filter)/],
  ['surveys', /^(survey|collector|template|theme|embed|preview|question_library)/],
  ['email', /^(email|invite|bounced|unsubscribed|mail_)/],
  ['contacts', /^contact/],
  ['webhooks', /^webhook/],
  ['security_log', /^security_/],
  [
    'accounts',
    /^(account|api_key|session|oauth_|group_|second_factor|external_identity|passkey|used_token|colleague|sign_in)/,
  ],
] as const

export type StorageKind = (typeof KINDS)[number][0] | 'jobs' | 'other'

/** Which kind a table belongs to. */
export const kindOfTable = (schema: string, table: string): StorageKind =>
  schema === 'pgboss' ? 'jobs' : (KINDS.find(([, names]) => names.test(table))?.[0] ?? 'other')

/** The space of one kind of data in the database. */
export interface KindSize {
  kind: StorageKind
  /** With indexes. */
  bytes: number
  /** The number of rows as PostgreSQL estimates it; null: unknown. */
  rows: number | null
}

/** The content of files and images. */
export interface FileSize {
  /** Whether they are in a bucket (`FILES_URL`), and not in the database. */
  isInBucket: boolean
  count: number
  bytes: number
}

export interface StorageSummary {
  databaseBytes: number
  /** The largest first. */
  kinds: KindSize[]
  files: FileSize[]
  /** Whether the numbers of files were computed from a part of them, because there are many. */
  isEstimated: boolean
}

/** Number of rows up to which files are counted exactly. For more, this number is read, and the result is scaled. */
const SAMPLED_ROWS = 50_000

/**
 * Returns how much space the data take. The time does not grow with the tables: numbers of rows are the estimates of
 * PostgreSQL, and many files are counted by a sample.
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function describeStorage(context: Context): Promise<StorageSummary> {
  await assertAdministrator(context)
  const db = context.em.getKysely()
  const { rows: tables } = await sql<{ schema: string; name: string; bytes: number; rows: number }>`
    select nspname as schema, relname as name, pg_total_relation_size(c.oid) as bytes, reltuples::float8 as rows
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'm') and nspname in (current_schema(), 'pgboss')`.execute(db)
  const { rows: database } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db)
  const kinds = [...Map.groupBy(tables, ({ schema, name }) => kindOfTable(schema, name))]
    .map(([kind, rows]): KindSize => {
      const known = rows.filter((table) => table.rows >= 0)
      const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
      return {
        kind,
        bytes: sum(rows.map(({ bytes }) => Number(bytes))),
        rows: known.length > 0 ? sum(known.map((table) => table.rows)) : null,
      }
    })
    .sort((one, other) => other.bytes - one.bytes)
  const estimates = new Map(tables.map(({ name, rows }) => [name, rows]))
  const parts = [
    await countFiles(context, 'uploaded_file', estimates.get('uploaded_file') ?? 0),
    await countFiles(context, 'image', estimates.get('image') ?? 0),
  ]
  const files = [false, true].map((isInBucket): FileSize => {
    const found = parts.flatMap(({ files }) => files.filter((file) => file.isInBucket === isInBucket))
    return {
      isInBucket,
      count: found.reduce((total, { count }) => total + count, 0),
      bytes: found.reduce((total, { bytes }) => total + bytes, 0),
    }
  })
  return {
    databaseBytes: Number(database[0]!.bytes),
    kinds,
    files: files.filter(({ count }) => count > 0),
    isEstimated: parts.some(({ isEstimated }) => isEstimated),
  }
}

async function countFiles({ em }: Context, table: 'uploaded_file' | 'image', estimate: number) {
  const isEstimated = estimate > SAMPLED_ROWS
  const percent = isEstimated ? (100 * SAMPLED_ROWS) / estimate : 100
  const sample = isEstimated ? sql`tablesample system (${sql.lit(percent)})` : sql``
  const { rows } = await sql<FileSize>`
    select store is not null as "isInBucket", count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes
    from ${sql.table(table)} ${sample} group by 1`.execute(em.getKysely())
  const scale = 100 / percent
  const files = rows.map(({ isInBucket, count, bytes }): FileSize => {
    return { isInBucket, count: Math.round(count * scale), bytes: Math.round(bytes * scale) }
  })
  return { files, isEstimated }
}
