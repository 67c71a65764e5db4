import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** A test in a source file. If a test has several cases, its title contains placeholders such as `%s`. */
export interface Titled {
  /** The path below `test/`. */
  file: string
  /** The titles of the surrounding describes, outermost first. */
  around: readonly string[]
  title: string
}

const GROUPS = new Set(['describe'])
const TESTS = new Set(['test', 'it'])

/** Returns the name of the called function: `test` for `test(…)`, `test.each(…)(…)` and `test.each`…`(…)`. */
function nameOf(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee)) return callee.text
  if (ts.isPropertyAccessExpression(callee)) return nameOf(callee.expression)
  if (ts.isCallExpression(callee)) return nameOf(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return nameOf(callee.tag)
  return undefined
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node &&
  (ts.isStringLiteralLike(node) ? node.text : ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : undefined)

function collect(file: string, source: ts.SourceFile): Titled[] {
  const found: Titled[] = []
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const title = ts.isCallExpression(node) ? textOf(node.arguments[0]) : undefined
    const name = ts.isCallExpression(node) && title !== undefined ? nameOf(node.expression) : undefined
    if (title !== undefined && name && TESTS.has(name)) found.push({ file, around, title })
    const inside = title !== undefined && name && GROUPS.has(name) ? [...around, title] : around
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(source, [])
  return found
}

/**
 * Returns all tests of the project, parsed from the sources.
 * @param root the folder of the project
 */
export function titledTests(root: string): Titled[] {
  return globSync('**/*.test.ts', { cwd: `${root}/test` })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(`${root}/test/${file}`, 'utf8')
      return collect(file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
    })
}
