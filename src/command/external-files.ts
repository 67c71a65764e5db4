import { Client } from 'pg'

/**
 * Prints the buckets whose files are not part of a backup of a database.
 * @param url the database, with any schema
 */
export async function printExternalFiles(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rowCount } = await client.query(`select from pg_class where oid = to_regclass('public.file_deletion')`)
    if (!rowCount) return
    const { rows } = await client.query<{ store: string; files: number; bytes: number }>(
      `select store, count(*)::integer as files, sum(bytes)::float8 as bytes
       from public.uploaded_file where store is not null group by store order by store`,
    )
    for (const { store, files, bytes } of rows)
      console.log(
        `Not in the backup: ${files} uploaded file${files === 1 ? '' : 's'} (${(bytes / 1e6).toFixed(1)} MB) in ${store}. Back up the bucket itself.`,
      )
  } finally {
    await client.end()
  }
}
