import pg from 'pg'

/**
 * Lists all tables. Of the tables of the job queue, it lists only those with jobs and schedules, because every start of
 * the program updates the other ones.
 */
const TABLES = `select c.oid::regclass::text as name from pg_class c
  where c.relkind = 'r' and (c.relnamespace = 'public'::regnamespace
    or c.oid::regclass::text in ('pgboss.job_common', 'pgboss.schedule')) order by 1`

/** The definitions of tables, indexes, constraints, sequences, functions, triggers and statistics. */
const SCHEMA = `
  select format('%s.%s %s%s%s%s', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
      a.attidentity::text || a.attgenerated::text || a.attstorage::text, ' default ' || pg_get_expr(d.adbin, d.adrelid)) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  union all select format('%s %s %s', oid::regclass, relpersistence, reloptions) from pg_class where relkind in ('r', 'i', 'v', 'm', 'p') and relnamespace = 'public'::regnamespace
  union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select pg_get_statisticsobjdef(oid) from pg_statistic_ext where stxnamespace = 'public'::regnamespace
  union all select indexdef from pg_indexes where schemaname = 'public'
  union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where connamespace = 'public'::regnamespace
  union all select format('%s %s %s', schemaname, sequencename, data_type) from pg_sequences where schemaname = 'public'
  union all select p.oid::regprocedure::text || pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
  union all select extname from pg_extension
  order by 1`

async function query<Row extends object>(url: string, ...statements: string[]): Promise<Row[][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const results: Row[][] = []
    for (const statement of statements) results.push((await client.query<Row>(statement)).rows)
    return results
  } finally {
    await client.end()
  }
}

/** Returns every row of every table as text, sorted. */
export async function rowsOf(url: string): Promise<Record<string, string[]>> {
  const [tables] = await query<{ name: string }>(url, TABLES)
  const names = tables!.map(({ name }) => name)
  const rows = await query<{ row: string }>(
    url,
    ...names.map((name) => `select t::text as row from ${name} t order by 1`),
  )
  return Object.fromEntries(names.map((name, index) => [name, rows[index]!.map(({ row }) => row)]))
}

/** Returns the definitions of the schema, one per line. */
export async function schemaOf(url: string): Promise<string[]> {
  const [lines] = await query<{ line: string }>(url, SCHEMA)
  return lines!.map(({ line }) => line)
}

/** Returns the last value of each sequence. */
export async function sequencesOf(url: string): Promise<object[]> {
  const [rows] = await query(
    url,
    `select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`,
  )
  return rows!
}
