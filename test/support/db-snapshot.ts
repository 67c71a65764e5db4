import pg from 'pg'

/** A copy of all rows of a database, except the job queue. */
export interface DatabaseSnapshot {
  /** Deletes all rows of the database, and inserts the rows of the snapshot. */
  restore(): Promise<void>
  close(): Promise<void>
}

const tables = `
  select t.oid::regclass::text as name, (select string_agg(quote_ident(a.attname), ', ') from pg_attribute a
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
  from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition`

/** Copies every row of every table. The role needs permission to disable triggers. */
export async function snapshotDatabase(databaseUrl: string): Promise<DatabaseSnapshot> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string; columns: string }>(tables)
  await client.query('create schema snapshot')
  for (const { name, columns } of rows)
    await client.query(`create table snapshot.${name} as select ${columns} from ${name}`)
  const inserts = rows.map(
    ({ name, columns }) =>
      `insert into ${name} (${columns}) overriding system value select ${columns} from snapshot.${name}`,
  )
  return {
    async restore() {
      await client.query(`begin; set local session_replication_role = replica;
        truncate ${rows.map(({ name }) => name).join(', ')};${inserts.join(';')}; commit`)
    },
    close: () => client.end(),
  }
}

/** Sets the ID that the next row of a table will have. */
export async function setNextId(databaseUrl: string, table: string, id: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3, false)', [table, 'id', id])
  } finally {
    await client.end()
  }
}
