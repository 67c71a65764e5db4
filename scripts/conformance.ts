// Prints which line of the specification is answered by which operation and proved by which test, then every operation
// of both contracts with the tests that are named after it. Fails when anything is missing. Run: make conformance.
import path from 'node:path'
import { endpointsOf } from '../src/api/engine/contract.ts'
import { v2 as v2Version } from '../src/api/v2/index.ts'
import { v3 as v3Version } from '../src/api/v3/index.ts'
import { both } from '../test/conformance/both.ts'
import { v2 } from '../test/conformance/v2.ts'
import { v2People } from '../test/conformance/v2-people.ts'
import { v3 } from '../test/conformance/v3.ts'
import { type Titled, titledTests } from './conformance/titles.ts'

const tests = titledTests(path.resolve(import.meta.dirname, '..'))
const nameOf = ({ file, around, title }: Titled) => [file.replace(/\.test\.ts$/, ''), ...around, title].join(' › ')
const names = tests.map(nameOf)
const missing: string[] = []
const sections = [...v3, ...v2, ...v2People, ...both]

for (const { title, rows } of sections) {
  console.log(`\n## ${title}\n`)
  for (const [line, operations, ...proofs] of rows) {
    const found = proofs.map((proof) => names.find((name) => name.startsWith(proof)))
    for (const [at, proof] of proofs.entries())
      if (!found[at]) missing.push(`${title}: "${line}" has no test "${proof}"`)
    if (proofs.length === 0) missing.push(`${title}: "${line}" has no test`)
    console.log(`${line}\n    ${operations.join(', ')}\n${found.map((name) => `    ${name ?? 'MISSING'}\n`).join('')}`)
  }
}

console.log('\n## Every operation\n')
for (const [version, contract] of [
  ['v2', v2Version.contract],
  ['v3', v3Version.contract],
] as const)
  for (const { operationId: exact } of endpointsOf(contract)) {
    // What answers under a second address too is one operation, tested under both.
    const operationId = exact.replace(/Alias$/, '')
    const word = new RegExp(`\\b${operationId}\\b`)
    const own = tests.filter(
      ({ file, around, title }) => file.startsWith(`api/${version}/`) && word.test([...around, title].join(' ')),
    )
    const ruled = sections.some(({ rows }) =>
      rows.some(([, ids]) => (ids as readonly string[]).includes(`${version}.${operationId}`)),
    )
    if (own.length === 0 && !ruled) missing.push(`${version}.${operationId} has no test that is named after it`)
    console.log(`${version}.${operationId}: ${own.length} named after it${ruled ? ', in the table above' : ''}`)
  }

const lines = sections.reduce((sum, { rows }) => sum + rows.length, 0)
console.log(`\n${lines} lines of the specification, ${missing.length} things missing`)
for (const one of missing) console.error(one)
if (missing.length > 0) process.exitCode = 1
