// Prints the operations and tests of every requirement of docs/specification.md, then the number of tests of every
// operation. Fails if a test, an operation or a section is missing. Run: make conformance.
import path from 'node:path'
import { endpointsOf } from '../src/api/engine/contract.ts'
import * as versions from '../src/api/versions.ts'
import { both } from '../test/conformance/both.ts'
import { v2 } from '../test/conformance/v2.ts'
import { v2People } from '../test/conformance/v2-people.ts'
import { v3 } from '../test/conformance/v3.ts'
import { sectionTitles } from './conformance/section-titles.ts'
import { type Titled, titledTests } from './conformance/titles.ts'

const tests = titledTests(path.resolve(import.meta.dirname, '..'))
const nameOf = ({ file, around, title }: Titled) => [file.replace(/\.test\.ts$/, ''), ...around, title].join(' › ')
const names = tests.map(nameOf)
const missing: string[] = []
const sections = [...v3, ...v2, ...v2People, ...both]
const titles = sectionTitles('docs/specification.md')
const operationsOf = Object.entries(versions).map(
  ([version, { contract }]) => [version, endpointsOf(contract).map(({ operationId }) => operationId)] as const,
)
const served = new Set(operationsOf.flatMap(([version, ids]) => ids.map((id) => `${version}.${id}`)))

const inOrder = [...Map.groupBy(sections, ({ section }) => section)].sort(([left], [right]) =>
  left.localeCompare(right, 'en', { numeric: true }),
)
for (const [section, parts] of inOrder) {
  if (!titles.has(section)) missing.push(`docs/specification.md has no section ${section}`)
  console.log(`\n## ${section} ${titles.get(section)}\n`)
  for (const [requirement, operations, ...prefixes] of parts.flatMap(({ rows }) => rows)) {
    for (const operation of operations)
      if (/^v\d/.test(operation) && !served.has(operation))
        missing.push(`${section}: there is no operation ${operation}`)
    const found = prefixes.map((prefix) => names.find((name) => name.startsWith(prefix)))
    for (const [index, prefix] of prefixes.entries())
      if (!found[index]) missing.push(`${section}: "${requirement}" has no test "${prefix}"`)
    if (prefixes.length === 0) missing.push(`${section}: "${requirement}" has no test`)
    const tests = found.map((name) => `    ${name ?? 'MISSING'}\n`).join('')
    console.log(`${requirement}\n    ${operations.join(', ')}\n${tests}`)
  }
}

console.log('\n## Every operation\n')
for (const [version, ids] of operationsOf)
  for (const exact of ids) {
    // An alias shares the tests of its operation.
    const operationId = exact.replace(/Alias$/, '')
    const word = new RegExp(`\\b${operationId}\\b`)
    const ownTests = tests.filter(
      ({ file, around, title }) => file.startsWith(`api/${version}/`) && word.test([...around, title].join(' ')),
    )
    const inTable = sections.some(({ rows }) =>
      rows.some(([, operations]) => (operations as readonly string[]).includes(`${version}.${operationId}`)),
    )
    if (ownTests.length === 0 && !inTable) missing.push(`${version}.${operationId} has no test`)
    console.log(`${version}.${operationId}: ${ownTests.length} tests${inTable ? ', in the table above' : ''}`)
  }

const requirements = sections.reduce((sum, { rows }) => sum + rows.length, 0)
console.log(`\n${requirements} requirements, ${missing.length} missing`)
for (const line of missing) console.error(line)
if (missing.length > 0) process.exitCode = 1
