import pg from 'pg'

/** Puts a database back to how it was when it was kept; what is in the job queue stays. */
export interface Kept {
  rewind(): Promise<void>
  close(): Promise<void>
}

const tables = `
  select t.oid::regclass::text as name, (select string_agg(quote_ident(a.attname), ', ') from pg_attribute a
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
  from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition`

/** Keeps every row of every table as it is now. It writes as a role that may switch triggers off, as tests have it. */
export async function keep(databaseUrl: string): Promise<Kept> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string; columns: string }>(tables)
  await client.query('create schema kept')
  for (const { name, columns } of rows)
    await client.query(`create table kept.${name} as select ${columns} from ${name}`)
  const restore = rows.map(
    ({ name, columns }) => `insert into ${name} (${columns}) select ${columns} from kept.${name}`,
  )
  return {
    async rewind() {
      await client.query(`begin; set local session_replication_role = replica;
        truncate ${rows.map(({ name }) => name).join(', ')};${restore.join(';')}; commit`)
    },
    close: () => client.end(),
  }
}

/** The next row of a table gets this id. */
export async function nextId(databaseUrl: string, table: string, id: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3, false)', [table, 'id', id])
  } finally {
    await client.end()
  }
}
