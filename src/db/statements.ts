import type { Client } from 'pg'

/** Called when a statement starts. Returns the function to call when it ends, with the error if it failed. */
export type StatementObserver = (text: string) => ((error?: unknown) => void) | undefined

type Query = (query: unknown, ...rest: unknown[]) => unknown

/** Observes the statements of a client, except cursors and `COPY` statements, which take as long as their reader. */
export function observeStatements(client: Client, observers: readonly StatementObserver[]): void {
  const send = client.query.bind(client) as unknown as Query
  const query: Query = (statement, ...rest) => {
    const text = typeof statement === 'string' ? statement : (statement as { text?: string }).text
    if (text === undefined || typeof (statement as { submit?: unknown }).submit === 'function')
      return send(statement, ...rest)
    const ends = observers.map((observe) => observe(text))
    const end = (error?: unknown) => {
      for (const each of ends) each?.(error)
    }
    const callback = rest.at(-1)
    if (typeof callback === 'function')
      return send(statement, ...rest.slice(0, -1), (error: unknown, ...result: unknown[]) => {
        end(error)
        callback(error, ...result)
      })
    const sent = send(statement, ...rest) as Promise<unknown>
    sent.then(() => end(), end)
    return sent
  }
  client.query = query as unknown as Client['query']
}
