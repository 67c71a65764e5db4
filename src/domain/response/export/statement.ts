import type { CompiledQuery } from 'kysely'
import { escapeLiteral, type PoolClient } from 'pg'

/** Name of the prepared statement, which is deallocated before the export starts. */
const STATEMENT_NAME = 'export_rows'

/**
 * Replaces the parameters of a query by literals, because `COPY` does not support parameters. The driver quotes the
 * values. Each value is cast to the type that PostgreSQL infers for the parameter. (Settings of the transaction cannot
 * be used instead: the planner and the other nodes of a distributed database would not know their values.)
 * @param types the types of the parameters in order, from `pg_prepared_statements`
 * @param values the values in PostgreSQL's text format
 */
export function replaceParameters(text: string, types: readonly string[], values: readonly (string | null)[]): string {
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g, (match, number: string | undefined) => {
    if (number === undefined) return match
    const type = types[Number(number) - 1]
    if (type === undefined) throw new Error(`the query has no parameter ${match}`)
    const value = values[Number(number) - 1] ?? null
    return `${value === null ? 'null' : escapeLiteral(value)}::${type}`
  })
}

/** Returns a bound value in PostgreSQL's text format; null for SQL null. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(arrayElement).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const arrayElement = (value: unknown): string => {
  const text = valueText(value)
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Builds the `COPY` statement of a query.
 * @returns the statement that sends the rows in binary format
 */
export async function prepareCopy(
  client: PoolClient,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<string> {
  const values = parameters.map(valueText)
  await client.query(`prepare ${STATEMENT_NAME} as ${sql}`)
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [STATEMENT_NAME],
  )
  await client.query(`deallocate ${STATEMENT_NAME}`)
  return `copy (${replaceParameters(sql, rows[0]!.types, values)}) to stdout (format binary)`
}
