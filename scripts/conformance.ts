// Prints which tests cover each section of docs/specification.md, and how many tests name each operation. The title of a
// test, or of a describe around it, names the sections: `[spec 7.3, 7.6]`. Fails if a section or an operation has no
// test, or a title names a section that does not exist. Run it as `make conformance`.
import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { endpointsOf } from '../src/api/engine/contract.ts'
import * as versions from '../src/api/versions.ts'
import { sectionTitles } from './section-titles.ts'

/** The sections that only introduce others. */
const WITHOUT_TEST = new Set(['1.1', '1.2'])

interface Test {
  /** The path below `test/`. */
  file: string
  /** The titles of the surrounding describes, outermost first, and of the test, which can contain `%s`. */
  titles: readonly string[]
}

/** Returns the names in a callee: `['describe', 'each']` for `describe.each(…)(…)` and for `` describe.each`…`(…) ``. */
function namesOf(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text]
  if (ts.isPropertyAccessExpression(callee)) return [...namesOf(callee.expression), callee.name.text]
  if (ts.isCallExpression(callee)) return namesOf(callee.expression)
  return ts.isTaggedTemplateExpression(callee) ? namesOf(callee.tag) : []
}

/** Returns the tests of a file, except those that do not run (`test.skip`, `test.todo`). */
function testsIn(file: string): Test[] {
  const found: Test[] = []
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const [name = '', ...modifiers] = ts.isCallExpression(node) ? namesOf(node.expression) : []
    const [title] = ts.isCallExpression(node) ? node.arguments : []
    if (modifiers.some((modifier) => modifier === 'skip' || modifier === 'todo')) return
    const isTitled = title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))
    const titles = isTitled && /^(describe|it|test)$/.test(name) ? [...around, title.getText().slice(1, -1)] : around
    if (titles !== around && name !== 'describe') found.push({ file, titles })
    ts.forEachChild(node, (child) => visit(child, titles))
  }
  visit(ts.createSourceFile(file, readFileSync(`test/${file}`, 'utf8'), ts.ScriptTarget.Latest, true), [])
  return found
}

const tests = globSync('**/*.test.ts', { cwd: 'test' }).sort().flatMap(testsIn)
const sections = sectionTitles('docs/specification.md')
const covering = new Map([...sections.keys()].map((section) => [section, [] as string[]]))
const missing: string[] = []

for (const { file, titles } of tests) {
  const place = [file.replace(/\.test\.ts$/, ''), ...titles].join(' › ')
  for (const section of new Set([...place.matchAll(/\[spec ([^\]]*)\]/g)].flatMap(([, list]) => list!.split(', '))))
    if (covering.has(section)) covering.get(section)!.push(place)
    else missing.push(`docs/specification.md has no section ${section}: ${place}`)
}
for (const [section, places] of covering) {
  if (!section.includes('.') || WITHOUT_TEST.has(section)) continue
  console.log(`\n## ${section} ${sections.get(section)}\n\n${places.join('\n')}`)
  if (places.length === 0) missing.push(`No title of a test contains [spec ${section}], ${sections.get(section)}`)
}

console.log('\n## Operations\n')
for (const [version, { contract }] of Object.entries(versions))
  for (const { operationId } of endpointsOf(contract)) {
    // An alias shares the tests of its operation. A test outside the folders of the versions uses the newest one.
    const word = new RegExp(`\\b${operationId.replace(/Alias$/, '')}\\b`)
    const folder = version === Object.keys(versions).at(-1) ? /^(?!api\/v\d+\/)/ : undefined
    const count = tests.filter(
      ({ file, titles }) => (file.startsWith(`api/${version}/`) || folder?.test(file)) && word.test(titles.join(' ')),
    ).length
    console.log(`${version}.${operationId}: ${count} ${count === 1 ? 'test' : 'tests'}`)
    if (count === 0) missing.push(`No title of a test contains ${operationId}, an operation of ${version}`)
  }

for (const line of missing) console.error(line)
if (missing.length > 0) process.exitCode = 1
