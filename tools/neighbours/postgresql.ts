// Runs core suites on each PostgreSQL that Debian has installed (the embedded one is the newest), and through PgBouncer.
// Run: node tools/run.ts tools/neighbours/postgresql.ts [suite ...]
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { databaseAccount } from '../../src/db/embedded/cluster.ts'
import { startPgBouncer } from '../../test/support/pgbouncer.ts'
import { freePort } from '../../test/support/process.ts'
import { temporaryFolder } from '../../test/support/temp-postgres.ts'

/** The oldest supported version. */
const MIN_VERSION = 15
/** Suites that also run through PgBouncer; test/neighbours/pgbouncer.test.ts has the rest. */
const POOLER_SUITES = ['test/api/v3/responses.test', 'test/api/v3/surveys.test']
const START_LIMIT_MS = 60_000
const SUITES = [
  ...['survey', 'responses', 'response-filters', 'csv', 'contacts-erase', 'statistics', 'webhooks'].map(
    (name) => `test/api/v3/${name}`,
  ),
  ...['logical-replication', 'migrate', 'pool', 'session-settings'].map((name) => `test/db/${name}.test`),
  'test/worker/events',
]

const programs = globSync('/usr/lib/postgresql/*/bin/postgres')
  .map((program) => ({ folder: path.dirname(program), version: Number(program.split('/')[4]) }))
  .filter(({ version }) => version >= MIN_VERSION)
  .sort((a, b) => a.version - b.version)
if (!programs.length) {
  console.error('PostgreSQL is not installed. On Debian: apt-get install postgresql')
  process.exit(1)
}
const suites = process.argv.slice(2)
for (const program of programs) {
  const server = await start(program.folder)
  try {
    runSuites(`PostgreSQL ${program.version}`, SUITES, server.url)
    if (program !== programs[0]) continue
    const pooler = await startPgBouncer(server.url, 'session', 100)
    runSuites('PgBouncer in session mode', POOLER_SUITES, server.url, new URL(pooler.url('postgres')).port)
    await pooler.stop()
  } finally {
    await server.stop()
  }
}

function runSuites(neighbour: string, usual: readonly string[], url: string, poolerPort?: string): void {
  console.log(`neighbours: core suites on ${neighbour}`)
  const { status } = spawnSync(process.execPath, ['test/runner/run.ts', ...(suites.length ? suites : usual)], {
    env: { ...process.env, TEST_DATABASE_URL: url, ...(poolerPort && { TEST_POOLER_PORT: poolerPort }) },
    stdio: 'inherit',
  })
  if (status) process.exitCode = 1
}

/** Starts a new cluster without durability. */
async function start(binaries: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = temporaryFolder()
  const account = databaseAccount(folder)
  const data = path.join(folder, 'pg')
  mkdirSync(data, { mode: 0o700 })
  execFileSync('chown', [String(account?.uid ?? process.getuid!()), data])
  const passwordFile = path.join(folder, 'password')
  writeFileSync(passwordFile, 'secret', { mode: 0o644 })
  const initial = ['-D', data, '-U', 'canvass', '--pwfile', passwordFile, '-A', 'scram-sha-256', '-E', 'UTF8']
  execFileSync(path.join(binaries, 'initdb'), [...initial, '--locale', 'C.UTF-8'], {
    ...account,
    cwd: '/',
    stdio: 'pipe',
  })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=300']
  const log = openSync(path.join(folder, 'log'), 'a')
  const child = spawn(
    path.join(binaries, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...account, cwd: '/', stdio: ['ignore', log, log] },
  )
  const lock = path.join(data, 'postmaster.pid')
  const isReady = () => existsSync(lock) && /ready\s*$/.test(readFileSync(lock, 'utf8'))
  for (const deadline = Date.now() + START_LIMIT_MS; !isReady(); await pause(50))
    if (Date.now() > deadline || child.exitCode !== null)
      throw new Error(`PostgreSQL did not start: ${readFileSync(path.join(folder, 'log'), 'utf8')}`)
  return {
    url: `postgres://canvass:secret@127.0.0.1:${port}/postgres?sslmode=disable`,
    stop: async () => {
      child.kill('SIGINT')
      while (child.exitCode === null && child.signalCode === null) await pause(20)
    },
  }
}
