// Which suites `make test` runs before each commit, and which only `make test-all` runs.

/** Suites with a browser, a client package, another process, or tools of other projects. */
const SLOW = [
  /-browser\.test\.ts$/,
  /^test\/(command|deploy|faults|neighbours|question-types|sdk)\//,
  /^test\/db\/(database-url|embedded|encryption|migrate|replicas|roles|supervision|upgrade)\.test/,
  /^test\/support\/browser\.test/,
  /^test\/worker\/(crash|emails-crash|slow-mail-server|worker)\.test/,
  /^test\/web\/(docs|dev-mailbox|guides|report-numbers|respondent\/text-question)\.test/,
  /^test\/oauth\/(browser|document)\.test/,
  /^test\/(contract-tools|down-convert|create-once|guide)\.test/,
]

/** One suite for each page that every change could break. */
const JOURNEYS = [
  'test/web/account-browser.test.ts',
  'test/web/builder-journey-browser.test.ts',
  'test/web/journey-browser.test.ts',
  'test/web/report-browser.test.ts',
  'test/web/responses-browser.test.ts',
  'test/web/respondent/survey-browser.test.ts',
]

/** Returns whether a suite is left out of `make test`. @param name the path from the root of the project */
export const isSlow = (name: string): boolean => !JOURNEYS.includes(name) && SLOW.some((pattern) => pattern.test(name))

/**
 * The slow suites that take longest, 95 to 30 seconds. They start first, so that none of them runs alone at the end: on
 * a new machine Jest knows no times.
 */
const SLOWEST = [
  'test/faults/faults.test.ts',
  'test/db/encryption.test.ts',
  'test/web/site-map-browser.test.ts',
  'test/worker/worker.test.ts',
  'test/command/processes.test.ts',
  'test/worker/crash.test.ts',
  'test/web/builder-scripts-browser.test.ts',
  'test/sdk/samples-v3.test.ts',
  'test/sdk/python-restarts.test.ts',
  'test/sdk/typescript-restarts.test.ts',
]

/** Returns the position at which a suite starts: the slowest first, all others after them. @param path any path that ends with its name */
export const startPosition = (path: string): number => {
  const position = SLOWEST.findIndex((name) => path.endsWith(name))
  return position < 0 ? SLOWEST.length : position
}
