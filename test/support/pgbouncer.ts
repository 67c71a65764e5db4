import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { databaseAccount } from '../../src/db/embedded/cluster.ts'
import { freePort } from './process.ts'
import { temporaryFolder } from './temp-postgres.ts'

/** A connection pooler in front of a PostgreSQL. */
export interface PgBouncer {
  /** Returns the URL of a database through the pooler. */
  url(database: string): string
  stop(): Promise<void>
}

/** @throws Error that says how to install PgBouncer */
function findProgram(): string {
  try {
    return execFileSync('sh', ['-c', 'PATH="$PATH:/usr/sbin" command -v pgbouncer'], { encoding: 'utf8' }).trim()
  } catch {
    throw new Error('PgBouncer is not installed. On Debian: apt-get install pgbouncer')
  }
}

/**
 * Starts PgBouncer with its default settings, except for the mode and the size of the pool.
 * @param server the URL of a PostgreSQL
 */
export async function startPgBouncer(
  server: string,
  mode: 'session' | 'transaction' | 'statement',
  poolSize: number,
): Promise<PgBouncer> {
  const program = findProgram()
  const { hostname, port, username, password } = new URL(server)
  const folder = temporaryFolder()
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text)
    chmodSync(path.join(folder, name), 0o644)
    return path.join(folder, name)
  }
  const listenPort = await freePort()
  const users = file('users.txt', `"${username}" "${password}"\n`)
  const settings = file(
    'pgbouncer.ini',
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
  )
  // PgBouncer does not run as root.
  const child: ChildProcess = spawn(program, [settings], {
    ...databaseAccount(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      log += chunk
      if (log.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(`PgBouncer did not start: ${log}`)))
  })
  return {
    url: (database) => `postgres://${username}:${password}@127.0.0.1:${listenPort}/${database}`,
    stop: async () => {
      child.kill('SIGQUIT')
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
