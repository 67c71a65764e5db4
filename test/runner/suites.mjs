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
export const isSlow = (name) => !JOURNEYS.includes(name) && SLOW.some((pattern) => pattern.test(name))
