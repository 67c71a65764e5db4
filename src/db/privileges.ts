import type { Client } from 'pg'

/** A privilege that the role lacks. */
export interface MissingPrivilege {
  /** One sentence. */
  message: string
  /** The statements that grant it. */
  mend: string
}

interface State {
  role: string
  database: string
  schema: string | null
  creates_in_schema: boolean
  creates_in_database: boolean
  search_path: string
  /** The owner of tables that the role cannot alter. */
  other_owner: string | null
}

const STATE = `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
  quote_ident(current_schema()) as schema, current_setting('search_path') as search_path,
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates_in_schema,
  has_database_privilege(current_database(), 'create') as creates_in_database,
  (select quote_ident(pg_get_userbyid(relowner)) from pg_class
    where relnamespace in (to_regnamespace(current_schema()), to_regnamespace('pgboss')) and relkind in ('r', 'p')
      and not pg_has_role(relowner, 'usage') limit 1) as other_owner`

/** Returns what the role of a connection needs for migrations and does not have. */
export async function missingPrivileges(client: Client): Promise<MissingPrivilege[]> {
  const { rows } = await client.query<State>(STATE)
  const { role, database, schema, search_path, other_owner, ...creates } = rows[0]!
  const missing: MissingPrivilege[] = []
  if (!creates.creates_in_database)
    missing.push({
      message: `The role ${role} may not create schemas and extensions in the database ${database}.`,
      mend: `Run in psql as the owner of the database: grant create on database ${database} to ${role};`,
    })
  if (schema === null)
    missing.push({
      message: `The role ${role} may use no schema of its search_path (${search_path}).`,
      mend: `Run in psql as the owner of the database: create schema authorization ${role};`,
    })
  else if (!creates.creates_in_schema)
    missing.push({
      message: `The role ${role} may not create tables in the schema ${schema}.`,
      mend: `Run in psql as the owner of the database: grant create on schema ${schema} to ${role};`,
    })
  if (other_owner !== null)
    missing.push({
      message: `The role ${role} may not alter tables that belong to ${other_owner}.`,
      mend: `Run in psql as a superuser: grant ${other_owner} to ${role};`,
    })
  return missing
}
