import { loadModule, parsePlPgSQLSync } from 'libpg-query'
import { mayNameDistributed, violations } from './statement-rule.ts'

await loadModule()

/**
 * Checks the statements of a PL/pgSQL function against the rule for statements on responses: a statement must name a
 * single survey. It does so by the parameter `of_survey` of the function, or by an element of the parameter `surveys`,
 * because this array has only one element on a distributed database.
 * @param definition the statement that creates the function
 */
export function functionViolations(definition: string): string[] {
  const statements: string[] = []
  collectExpressions(parsePlPgSQLSync(definition), statements)
  return statements.filter(mayNameDistributed).flatMap((statement) => violations(asStatement(statement)))
}

/**
 * Returns an expression of PL/pgSQL as a statement: removes the variable of an assignment, and adds SELECT if it is
 * missing.
 */
const asStatement = (text: string): string =>
  /^\s*(select|insert|update|delete|with)\b/i.test(text) ? text : `select ${text.replace(/^[^:]*:=/, '')}`

function collectExpressions(node: unknown, into: string[]): void {
  if (typeof node !== 'object' || node === null) return
  const { query } = node as { query?: unknown }
  if (typeof query === 'string') into.push(query)
  for (const child of Object.values(node)) collectExpressions(child, into)
}
