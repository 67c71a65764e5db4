import type { CompiledQuery } from 'kysely'
import type { PoolClient } from 'pg'

/** Statements that last a session; the name is free again before the session goes back to the pool. */
const NAME = 'export_rows'
const SETTING = 'export.p'

/**
 * `COPY` takes no bind parameters, so the values of a query travel as settings of the transaction: each `$n` becomes
 * `current_setting('export.p<n>')`, cast to the type that PostgreSQL itself infers for the parameter. No value is ever
 * part of the text.
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

/** A bound value in the text form that PostgreSQL reads for its type; null for SQL's null. */
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
 * Puts the query's values into the transaction that `client` is in.
 * @returns the `COPY` that sends its rows in binary form
 */
export async function prepareCopy(
  client: PoolClient,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<string> {
  const values = parameters.map(settingText)
  await client.query(`prepare ${NAME} as ${sql}`)
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [NAME],
  )
  await client.query(`deallocate ${NAME}`)
  await client.query(
    `select set_config($1 || number, value, true) from unnest($2::text[]) with ordinality as setting (value, number)`,
    [SETTING, values],
  )
  return `copy (${readSettings(sql, rows[0]!.types, values)}) to stdout (format binary)`
}
