import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { databaseAccount, postgresBinaries } from '../../src/db/embedded/cluster.ts'
import { freePort } from '../../test/support/process.ts'
import { createCluster } from './cluster.ts'

/**
 * A way to interrupt PostgreSQL. `fast` and `immediate` shut PostgreSQL down and start it again. `backend` kills one
 * backend, after which PostgreSQL ends all sessions and recovers. `terminate` ends all sessions without a restart.
 */
export type Restart = 'fast' | 'immediate' | 'backend' | 'terminate'

/** A temporary PostgreSQL on 127.0.0.1. */
export interface Postgres {
  port: number
  url: string
  restart(mode: Restart): Promise<void>
  /** Returns the process ID of the postmaster. */
  pid(): number
  isRunning(): Promise<boolean>
  stop(): Promise<void>
}

const DATABASE = 'canvass'
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'jit=off', 'fsync=off', 'timezone=UTC']

/** Returns the folder of the PostgreSQL cluster. */
export const clusterHome = (folder: string): string => path.join(folder, 'own')

/**
 * Creates a PostgreSQL cluster below the folder and starts it. If CITUS_URL is set, creates a distributed database in
 * the Citus cluster at that URL instead.
 */
export async function startPostgres(folder: string): Promise<Postgres> {
  if (process.env.CITUS_URL) return createCluster(process.env.CITUS_URL)
  const account = databaseAccount(path.join(folder, 'pg'))
  const bin = path.join(postgresBinaries(account), 'bin')
  const home = clusterHome(folder)
  const data = path.join(home, 'data')
  const password = randomBytes(18).toString('base64url')
  const passwordFile = path.join(home, 'password')
  mkdirSync(home, { recursive: true })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) for (const file of [home, passwordFile]) chownSync(file, account.uid, account.gid)
  const run = (tool: string, args: string[]) =>
    promisify(execFile)(path.join(bin, tool), args, {
      ...account,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    })
  await run('initdb', [
    ...['-D', data, '-U', 'canvass', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
  ])
  const port = await freePort()
  const options = `-p ${port} ${SETTINGS.map((setting) => `-c ${setting}`).join(' ')}`
  const control = (...args: string[]) =>
    run('pg_ctl', ['-D', data, '-l', path.join(home, 'log'), '-w', '-t', '60', ...args])
  await control('-o', options, 'start')
  const url = (database: string) => `postgres://canvass:${password}@127.0.0.1:${port}/${database}`
  await query(url('postgres'), `create database ${DATABASE}`)
  return {
    port,
    url: url(DATABASE),
    async restart(mode) {
      if (mode === 'fast' || mode === 'immediate') await control('-o', options, '-m', mode, 'restart')
      else if (mode === 'backend') {
        const [backend] = await query<{ pid: number }>(
          url('postgres'),
          `select pid from pg_stat_activity where datname = '${DATABASE}' limit 1`,
        )
        process.kill(backend!.pid, 'SIGKILL')
      } else
        await query(
          url('postgres'),
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${DATABASE}'`,
        )
    },
    pid: () => Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    isRunning: () =>
      control('status').then(
        () => true,
        () => false,
      ),
    stop: async () => void (await control('-m', 'immediate', 'stop').catch(() => undefined)),
  }
}

/** Runs a statement on a new connection and returns its rows. */
export async function query<Row extends object>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(statement, values)).rows
  } finally {
    await client.end()
  }
}
