// The last line of .ci/run: "N passed, N failed", from Jest's own report. A suite that could not even be loaded is a failure.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync('build/jest.json', 'utf8'))
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites
if (report.numTotalTests === 0) console.error('No test ran: look at testMatch and roots in jest.config.mjs.')
console.log(`${report.numPassedTests} passed, ${failed} failed`)
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1
