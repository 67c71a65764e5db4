import { loadModule, parsePlPgSQLSync } from 'libpg-query'
import { mayNameDistributed, violations } from './statement-rule.ts'

await loadModule()

/**
 * Checks the statements of a PL/pgSQL function, whose parameter `of_survey` is one survey. An element of its parameter `surveys`
 * is one survey as well: on a distributed database, it has one element.
 * @param definition the statement that creates the function
 */
export function functionViolations(definition: string): string[] {
  const statements: string[] = []
  collectExpressions(parsePlPgSQLSync(definition), statements)
  return statements.filter(mayNameDistributed).flatMap((statement) => violations(asStatement(statement)))
}

/** An expression of PL/pgSQL is a statement without SELECT, after the variable of an assignment. */
const asStatement = (text: string): string =>
  /^\s*(select|insert|update|delete|with)\b/i.test(text) ? text : `select ${text.replace(/^[^:]*:=/, '')}`

function collectExpressions(node: unknown, into: string[]): void {
  if (typeof node !== 'object' || node === null) return
  const { query } = node as { query?: unknown }
  if (typeof query === 'string') into.push(query)
  for (const child of Object.values(node)) collectExpressions(child, into)
}
