export default {
  runner: '<rootDir>/test/runner/runner.ts',
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
  // Tests of a Citus cluster run with CITUS_URL (make test-citus).
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.CITUS_URL ? [] : ['<rootDir>/test/citus/'])],
}
