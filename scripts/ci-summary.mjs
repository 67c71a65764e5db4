// Prints the last line of .ci/run, "N passed, N failed", from the report of Jest. A suite that cannot be loaded counts
// as failed.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync('build/jest.json', 'utf8'))
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites
if (report.numTotalTests === 0) console.error('No test ran. Check testMatch and roots in jest.config.mjs.')
console.log(`${report.numPassedTests} passed, ${failed} failed`)
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1
