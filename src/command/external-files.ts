import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'

/**
 * Prints the buckets whose files are not part of a backup of a database.
 * @param url the database, with any schema
 */
export async function printExternalFiles(url: string): Promise<void> {
  const client = new DatabaseClient(connectionTo(url))
  client.on('error', () => undefined)
  await client.connect()
  try {
    // The database can be older than the program.
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'store' and table_name in ('uploaded_file', 'image')`,
    )
    if (tables.length === 0) return
    const all = tables.map(({ name }) => `select store, bytes from public.${name}`).join(' union all ')
    const { rows } = await client.query<{ store: string; files: number; bytes: number }>(
      `select store, count(*)::integer as files, sum(bytes)::float8 as bytes
       from (${all}) stored
       where store is not null group by store order by store`,
    )
    for (const { store, files, bytes } of rows)
      console.log(
        `Not in the backup: ${files} uploaded file${files === 1 ? '' : 's'} (${(bytes / 1e6).toFixed(1)} MB) in ${store}. Back up the bucket itself.`,
      )
  } finally {
    await client.end()
  }
}
