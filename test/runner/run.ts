// Runs Jest: node test/runner/run.ts [options] [suites]. SUITES=quick or SUITES=slow runs only that part of the suites.
import { globSync } from 'node:fs'
import path from 'node:path'
import { closest } from 'fastest-levenshtein'
import { run } from 'jest'

const root = path.resolve(import.meta.dirname, '../..')
process.chdir(root)
const args = process.argv.slice(2)
const suites = globSync('test/**/*.test.ts')
/** Options whose value is the next argument. */
const WITH_VALUE =
  /^(-t|-w|--testNamePattern|--maxWorkers|--outputFile|--seed|--shard|--collectCoverageFrom|--reporters)$/

for (const [index, name] of args.entries()) {
  if (name.startsWith('-') || WITH_VALUE.test(args[index - 1] ?? '')) continue
  if (args.some((arg) => arg === '--coverageReporters')) break
  if (suites.some((suite) => new RegExp(name).test(path.join(root, suite)))) continue
  console.error(`test: no suite matches ${name}. Did you mean ${closest(name, suites)}?`)
  process.exit(2)
}
await run(args)
