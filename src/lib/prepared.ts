import { Client, type ClientConfig } from 'pg'

/** Each prepared statement takes about 400 kB in every connection that has used it. */
const MAX_PREPARED_STATEMENTS = 16

/** Names of prepared statements by their text. */
const names = new Map<string, string>()

/**
 * Makes PostgreSQL parse and plan a statement once per connection instead of at each execution. For a few long
 * statements that run often; beyond {@link MAX_PREPARED_STATEMENTS} the call has no effect. The statement must name its
 * result columns: a statement with `*` fails once a migration adds a column.
 */
export function prepare(text: string): void {
  if (names.size < MAX_PREPARED_STATEMENTS && !names.has(text)) names.set(text, `prepared ${names.size + 1}`)
}

/** A client that adds the names of prepared statements, because query builders pass only texts. */
export class PreparingClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const send = this.query.bind(this) as (query: unknown, values?: unknown, callback?: unknown) => unknown
    this.query = ((query: unknown, values?: unknown, callback?: unknown) => {
      const name = typeof query === 'string' && names.get(query)
      return name ? send({ name, text: query, values }, callback) : send(query, values, callback)
    }) as Client['query']
  }
}
