// Runs the tests of the API on restored data: fills an installation, backs it up, deletes it, restores the backup into
// an empty folder, compares every row, and runs the tests in test/api on databases restored from the backup. Run it as
// `make test-restored`.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { root } from '../../scripts/versions.ts'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { questionTypes } from '../../src/questions/index.ts'
import { rowsOf, schemaOf, sequencesOf } from '../../test/support/compare-databases.ts'
import { freePort, startProgram } from '../../test/support/process.ts'
import { runCanvass } from '../../test/support/run-canvass.ts'
import { temporaryFolder } from '../../test/support/temp-postgres.ts'
import { fill } from './fill.ts'

const JEST = ['--disable-warning=ExperimentalWarning', 'test/runner/run.ts']
const args = process.argv.slice(2)
/** The number of demo responses. It is larger than a segment of the rollup. */
const DEMO_RESPONSES = '5000'
/** Maximum time until the rollup is stored, in milliseconds. The worker refreshes it every minute. */
const ROLLUP_LIMIT_MS = 180_000
/**
 * Tables that stay empty. To fill them, the script would need an identity provider, a link in an email, a schedule of
 * backups, a mail server, or a bucket for files.
 */
const EMPTY_TABLES = [
  'account_link',
  'backup_run',
  'bounced_address',
  'file_deletion',
  'mail_pace',
  'provider_failure',
  'respondent_session',
]

const folder = temporaryFolder()
const file = path.join(folder, 'canvass.backup')
const admin = {
  ADMIN_USERNAME: 'operator',
  ADMIN_EMAIL: 'operator@example.org',
  ADMIN_PASSWORD: 'a password of the fill',
}
const start = performance.now()
const report = (text: string) =>
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${text}`)

/** Runs a command of the program. @throws Error with its output if it fails */
async function canvass(dataDir: string, ...command: string[]): Promise<void> {
  const { code, output } = await runCanvass({ DATA_DIR: dataDir }, ...command)
  if (code !== 0) throw new Error(`canvass ${command.join(' ')} exits with ${code}:\n${output}`)
}

/** Fills an installation through a running server. */
async function fillInstallation(dataDir: string): Promise<void> {
  const port = await freePort()
  const settings = { ...admin, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', STOP_DELAY_SECONDS: '0' }
  const server = startProgram(settings, 'src/main.mjs', 'serve')
  try {
    await server.waitForOutput('Canvass is running')
    const cluster = path.join(dataDir, 'postgres')
    const databasePort = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[3]
    const secret = readFileSync(`${cluster}.password`, 'utf8')
    const databaseUrl = `postgres://canvass:${secret}@127.0.0.1:${databasePort}/canvass`
    const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password } = admin
    await fill({ base: `http://127.0.0.1:${port}`, databaseUrl, username, password })
    await canvass(dataDir, 'seed', DEMO_RESPONSES)
    report('filled; waiting for the rollup, which is refreshed every minute')
    await waitForRows(databaseUrl, 'response_bitmap')
  } finally {
    await server.kill('SIGTERM')
  }
}

async function waitForRows(url: string, table: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const deadline = performance.now() + ROLLUP_LIMIT_MS; ; await pause(500)) {
      const { rowCount } = await client.query(`select from ${table} limit 1`)
      if (rowCount) return
      if (performance.now() > deadline) throw new Error(`The table ${table} stays empty.`)
    }
  } finally {
    await client.end()
  }
}

/** Returns the rows, the schema and the sequences of an installation whose server is stopped. */
async function contentOf(dataDir: string) {
  const database = await startEmbedded(path.join(dataDir, 'postgres'))
  try {
    const url = database.url('canvass')
    return { rows: await rowsOf(url), schema: await schemaOf(url), sequences: await sequencesOf(url) }
  } finally {
    await database.stop()
  }
}

/** Throws unless there is a question of every type, and every table has rows. */
function assertRich(rows: Record<string, string[]>): void {
  const structures = rows.survey_version!.join('\n')
  const missing = Object.keys(questionTypes).filter((kind) => !new RegExp(`idname\\W+${kind}\\b`).test(structures))
  const empty = Object.keys(rows).filter((table) => rows[table]!.length === 0 && !EMPTY_TABLES.includes(table))
  if (missing.length + empty.length > 0)
    throw new Error(
      `No question of the types [${missing}], no rows in the tables [${empty}]. Add them in tools/restored/fill.ts.`,
    )
}

/** Throws unless two installations have the same content. Names the tables that differ. */
function assertEqual(before: Awaited<ReturnType<typeof contentOf>>, after: typeof before): void {
  const text = (value: unknown) => JSON.stringify(value)
  const tables = Object.keys(before.rows).filter((table) => text(before.rows[table]) !== text(after.rows[table]))
  const parts = (['schema', 'sequences'] as const).filter((part) => text(before[part]) !== text(after[part]))
  if (tables.length + parts.length > 0)
    throw new Error(`The restored data differs: ${[...tables, ...parts].join(', ')}`)
}

/** Runs the tests on databases restored from the backup. @returns whether all pass */
function runTests(): Promise<boolean> {
  const tests = args.some((arg) => !arg.startsWith('-')) ? args : ['test/api', ...args]
  const env = { ...process.env, TEST_BACKUP: file }
  const child = spawn(process.execPath, [...JEST, ...tests], { cwd: root, env, stdio: 'inherit' })
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)))
}

async function wipe(dataDir: string): Promise<void> {
  await removeEmbedded(path.join(dataDir, 'postgres'))
  rmSync(dataDir, { recursive: true })
}

const [original, restored] = ['original', 'restored'].map((name) => path.join(folder, name)) as [string, string]
try {
  await fillInstallation(original)
  const before = await contentOf(original)
  assertRich(before.rows)
  const rows = Object.values(before.rows).reduce((sum, { length }) => sum + length, 0)
  report(`${Object.keys(before.rows).length} tables with ${rows.toLocaleString('en')} rows, and every question type`)
  await canvass(original, 'backup', file, '--include-secret-key')
  report('backed up and verified')
  await wipe(original)
  report('wiped: the data folder is deleted')
  await canvass(restored, 'restore', file)
  assertEqual(before, await contentOf(restored))
  await wipe(restored)
  report('restored: every row, the schema and the sequences are equal; running the tests on the restored data')
  const passed = await runTests()
  report(passed ? 'all tests pass on the restored data' : 'tests fail on the restored data (see above)')
  if (!passed) process.exitCode = 1
} finally {
  for (const dataDir of [original, restored]) await removeEmbedded(path.join(dataDir, 'postgres'))
  rmSync(folder, { recursive: true, force: true })
}
