import type { CompiledQuery } from 'kysely'
import type { PoolClient } from 'pg'

/** Name of the prepared statement, which is deallocated before the export starts. */
const STATEMENT_NAME = 'export_rows'
const SETTING_PREFIX = 'export.p'

/**
 * Replaces the parameters of a query, because `COPY` does not support them. Their values are settings of the transaction:
 * each `$n` becomes `current_setting('export.p<n>')`, cast to the type that PostgreSQL infers for the parameter. No value
 * becomes part of the statement.
 * @param types the types of the parameters in order, from `pg_prepared_statements`
 */
export function replaceParameters(text: string, types: readonly string[], values: readonly unknown[]): string {
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g, (match, number: string | undefined) => {
    if (number === undefined) return match
    const type = types[Number(number) - 1]
    if (type === undefined) throw new Error(`the query has no parameter ${match}`)
    return values[Number(number) - 1] === null
      ? `null::${type}`
      : `current_setting('${SETTING_PREFIX}${number}')::${type}`
  })
}

/** Returns a bound value in PostgreSQL's text format; null for SQL null. */
export function settingText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(arrayElement).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const arrayElement = (value: unknown): string => {
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
    [SETTING_PREFIX, values],
  )
  return `copy (${replaceParameters(sql, rows[0]!.types, values)}) to stdout (format binary)`
}
