import type { Client } from 'pg'
import { DatabaseClient, type DatabaseOptions } from './postgres-client.ts'

/** Maximum number of prepared statements. Each takes about 400 kB in every connection that has used it. */
const MAX_PREPARED_STATEMENTS = 16

/** Returns a list of prepared statements, and a client that prepares exactly these. */
export function preparedStatements() {
  /** Names of prepared statements by their text. */
  const names = new Map<string, string>()

  /**
   * Makes PostgreSQL parse and plan a statement once per connection instead of at each execution. Use it for a few long
   * statements that run often; when {@link MAX_PREPARED_STATEMENTS} is reached, the call has no effect. The statement
   * must name its result columns: a statement with `*` fails after a migration has added a column.
   */
  function prepare(text: string): void {
    if (names.size < MAX_PREPARED_STATEMENTS && !names.has(text)) names.set(text, `prepared ${names.size + 1}`)
  }

  /**
   * A client that adds the names of prepared statements to queries, because query builders pass only the text of a
   * query.
   */
  class PreparingClient extends DatabaseClient {
    constructor(config?: string | DatabaseOptions) {
      super(config)
      const send = this.query.bind(this) as (query: unknown, values?: unknown, callback?: unknown) => unknown
      this.query = ((query: unknown, values?: unknown, callback?: unknown) => {
        const name = typeof query === 'string' && names.get(query)
        return name ? send({ name, text: query, values }, callback) : send(query, values, callback)
      }) as Client['query']
    }
  }
  return { prepare, PreparingClient }
}

/** The prepared statements of the service. */
export const { prepare, PreparingClient } = preparedStatements()
