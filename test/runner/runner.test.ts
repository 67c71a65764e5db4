import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs suites of the folder fixtures, with short limits. @returns the output and the exit code */
function runFixtures(...names: string[]): Promise<{ output: string; code: number }> {
  const config = {
    rootDir: root,
    runner: '<rootDir>/test/runner/runner.ts',
    reporters: ['<rootDir>/test/runner/reporter.ts', 'summary'],
    testMatch: names.map((name) => `<rootDir>/test/runner/fixtures/${name}.fixture.ts`),
    extensionsToTreatAsEsm: ['.ts'],
    transform: {},
    testTimeout: 1000,
    maxWorkers: 1,
  }
  const args = ['node_modules/jest/bin/jest.js', '--config', JSON.stringify(config)]
  const env = { PATH: process.env.PATH, TEST_WATCHDOG_MS: '4000', TEST_SETTLE_MS: '200' }
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, code: Number(error?.code ?? 0) }),
    ),
  )
}

describe('the test runner', () => {
  test('names a test that blocks the process, kills the process, and runs the other suites', async () => {
    const { output, code } = await runFixtures('hang', 'wait')
    expect(output).toContain('while running the test "a loop runs forever", and was killed')
    expect(output).toMatch(/waits forever.*Exceeded timeout of 100 ms/s)
    expect(output).toMatch(/Tests: +1 failed, 1 passed, 2 total/)
    expect(code).toBe(1)
  })

  test('names the test during which the process was killed', async () => {
    const { output, code } = await runFixtures('exit')
    expect(output).toContain('The process ended with SIGKILL while running the test "ends the process"')
    expect(output).toContain('make test ARGS=')
    expect(code).toBe(1)
  })

  test('fails a suite that leaves something behind, and removes what it can', async () => {
    const { output, code } = await runFixtures('leak')
    for (const leak of [
      '1 × Timeout still open',
      '1 × TCPServerWrap still open',
      'the environment variable LEFT_BY_FIXTURE was changed and not restored',
      'a listener for the process event SIGWINCH was not removed',
      '1 spied functions were not restored',
    ])
      expect(output).toContain(leak)
    expect(code).toBe(1)
    const next = await runFixtures('leak', 'clean')
    expect(next.output).toMatch(/Tests: +1 failed, 2 passed, 3 total/)
    expect(next.output).not.toContain('● finds the process as it was')
  })

  test('fails a test in which an error is thrown that nobody handles', async () => {
    const { output, code } = await runFixtures('clean')
    expect(output).toContain('● reports an error that nobody handles')
    expect(output).toContain('thrown in a timer')
    expect(output).toContain(
      `Repeat this test: make test ARGS='test/runner/fixtures/clean.fixture.ts -t "reports an error that nobody handles"'`,
    )
    expect(code).toBe(1)
  })
})
