// Prints the last line of .ci/run, "N passed, N failed", from the reports of Jest. A suite that cannot be loaded counts
// as failed, and so does a part that ended before its first test.
import { existsSync, readFileSync } from 'node:fs'

let passed = 0
let failed = 0
for (const file of process.argv.slice(2)) {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  if (!report?.numTotalTests) console.error(`${file} has no tests: this part failed before its first test (see above).`)
  passed += report?.numPassedTests ?? 0
  failed += report?.numTotalTests ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1
