import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { ACROSS_SURVEYS } from '../../src/domain/tables.ts'
import { mayNameDistributed, violations } from './statement-rule.ts'

const serving = new AsyncLocalStorage<true>()
const recorded = new Set<string>()

/**
 * Runs a request or a job of the service, and records the statements that it sends. Statements of tests are not
 * recorded.
 */
export const recordStatements = <Result>(run: () => Result): Result => serving.run(true, run)

let count = 0

/** Returns the number of statements of the service so far. */
export const countStatements = (): number => count

/** @throws {Error} if a recorded statement breaks the rule for statements on responses (statement-rule.ts) */
export function assertStatementsFollowRule(): void {
  const broken = [...recorded].flatMap((text) => violations(text).map((violation) => `${violation}\n${text}`))
  recorded.clear()
  if (broken.length)
    throw new Error(
      `A statement on responses names one survey for each of their tables, joins only tables that are on every node, and changes one table; a query over all surveys contains ${ACROSS_SURVEYS} (src/db/citus/README.md):\n${broken.join('\n\n')}`,
    )
}

const { query } = pg.Client.prototype
pg.Client.prototype.query = function record(this: pg.Client, ...input: unknown[]) {
  const [first] = input as [string | { text?: string } | undefined]
  const text = typeof first === 'string' ? first : first?.text
  if (serving.getStore()) count += 1
  if (text && serving.getStore() && mayNameDistributed(text)) recorded.add(text)
  return Reflect.apply(query, this, input)
} as typeof query
