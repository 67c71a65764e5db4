import path from 'node:path'
import type { AggregatedResult, Test, TestResult } from '@jest/test-result'

const SLOWEST = 10
const root = path.resolve(import.meta.dirname, '../..')

/** Prints a line for each suite with its time, how to repeat each failure, and at the end the slowest suites. */
export default class Reporter {
  readonly #suites: { name: string; seconds: number }[] = []

  onTestFileResult(test: Test, result: TestResult, total: AggregatedResult): void {
    const name = path.relative(root, test.path)
    const seconds = result.perfStats.runtime / 1000
    this.#suites.push({ name, seconds })
    const finished = total.numPassedTestSuites + total.numFailedTestSuites + total.numPendingTestSuites
    const failed = result.numFailingTests > 0 || result.testExecError
    const counter = `${finished}/${total.numTotalTestSuites}`.padStart(7)
    console.log(`${counter} ${failed ? 'FAIL' : 'pass'} ${seconds.toFixed(1).padStart(6)} s  ${name}`)
    if (!failed) return
    console.log(result.failureMessage ?? result.testExecError?.message)
    const tests = result.testResults.filter(({ status }) => status === 'failed')
    for (const { fullName } of tests)
      console.log(`  Repeat this test: make test ARGS=${quote(`${name} -t ${quote(pattern(fullName))}`)}`)
    if (tests.length === 0) console.log(`  Repeat this suite: make test ARGS=${name}`)
  }

  onRunComplete(): void {
    const slowest = this.#suites.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
    if (this.#suites.length <= SLOWEST) return
    console.log(`\nThe ${SLOWEST} slowest suites:`)
    for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`)
  }
}

const pattern = (title: string) => title.replace(/[\^$.*+?()[\]{}|"'`\\]/g, '.')
const quote = (text: string) => (text.includes('"') ? `'${text}'` : `"${text}"`)
