import { globSync } from 'node:fs'
import path from 'node:path'
import { isSlow } from './test/runner/suites.ts'

/** `quick` and `slow` run a part of the suites; by default all that the arguments name are run. */
const part = process.env.SUITES
const others = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter(
  (name) => part && isSlow(name) !== (part === 'slow'),
)

export default {
  runner: '<rootDir>/test/runner/runner.ts',
  reporters: ['<rootDir>/test/runner/reporter.ts', 'summary'],
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  coverageProvider: 'v8',
  maxWorkers: 2,
  // The modules of finished suites stay in memory. A worker that uses more memory than this is replaced.
  workerIdleMemoryLimit: '1500MB',
  testTimeout: 60000,
  testPathIgnorePatterns: [
    '/node_modules/',
    // Tests of a Citus cluster run with CITUS_URL (make test-citus).
    ...(process.env.CITUS_URL ? [] : ['<rootDir>/test/citus/']),
    ...others.map((name) => `${RegExp.escape(path.join(import.meta.dirname, name))}$`),
  ],
}
