import type { CompiledQuery } from 'kysely'
import type { PoolClient } from 'pg'

/** Name of the prepared statement; deallocated before the session returns to the pool. */
const STATEMENT_NAME = 'export_rows'
const SETTING = 'export.p'

/**
 * Replaces the parameters of a query. `COPY` takes none, so their values are passed as settings of the transaction: each
 * `$n` becomes `current_setting('export.p<n>')`, cast to the type that PostgreSQL infers for the parameter. No value
 * becomes part of the statement.
 * @param types of the parameters in order, as `pg_prepared_statements` names them
 */
export function readSettings(text: string, types: readonly string[], values: readonly unknown[]): string {
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g, (found, number: string | undefined) => {
    if (number === undefined) return found
    const type = types[Number(number) - 1]
    if (type === undefined) throw new Error(`the query has no parameter ${found}`)
    return values[Number(number) - 1] === null ? `null::${type}` : `current_setting('${SETTING}${number}')::${type}`
  })
}

/** Returns a bound value in PostgreSQL's text format; null for SQL's null. */
export function settingText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const element = (value: unknown): string => {
  const text = settingText(value)
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Stores the values of a query as settings of the transaction of `client`.
 * @returns the `COPY` statement that sends the rows in binary format
 */
export async function prepareCopy(
  client: PoolClient,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<string> {
  const values = parameters.map(settingText)
  await client.query(`prepare ${STATEMENT_NAME} as ${sql}`)
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [STATEMENT_NAME],
  )
  await client.query(`deallocate ${STATEMENT_NAME}`)
  await client.query(
    `select set_config($1 || number, value, true) from unnest($2::text[]) with ordinality as setting (value, number)`,
    [SETTING, values],
  )
  return `copy (${readSettings(sql, rows[0]!.types, values)}) to stdout (format binary)`
}
