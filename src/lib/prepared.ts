import { Client, type ClientConfig } from 'pg'

/** Statements prepared at most: each takes some 400 kB in every connection that has sent it. */
const MAX_PREPARED_STATEMENTS = 16

/** By text, what a statement is called in each connection. */
const names = new Map<string, string>()

/**
 * From now on PostgreSQL reads and plans this statement once a connection and not each time, which takes a long one
 * longer than its work. For a few statements that are asked again and again; beyond {@link MAX_PREPARED_STATEMENTS} nothing changes.
 * Name the columns that it answers: with `*` it fails once a migration adds one.
 */
export function prepare(text: string): void {
  if (names.size < MAX_PREPARED_STATEMENTS && !names.has(text)) names.set(text, `prepared ${names.size + 1}`)
}

/** A connection that knows of {@link prepare}: query builders hand over texts and have no place for a name. */
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
