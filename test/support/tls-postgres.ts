import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type EmbeddedDatabase, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { runSql } from './replicated-postgres.ts'
import { temporaryFolder } from './temp-postgres.ts'
import { waitUntil } from './wait-until.ts'

/** A connection that PostgreSQL has logged. */
export interface LoggedConnection {
  /** The application name, without the unique part that pools add. */
  name: string
  encrypted: boolean
}

/** A PostgreSQL with TLS, and the certificates of its authority. */
export interface TlsPostgres {
  database: EmbeddedDatabase
  /** Returns the path of a file of the authority `ca` or of the other authority `wrong`, or of a client certificate. */
  file(name: 'ca.crt' | 'wrong.crt' | 'client.crt' | 'client.key'): string
  /** Returns the URL of the database `canvass`. */
  url(host: string, query: string): string
  /** Replaces the rules of pg_hba.conf, such as `hostssl all all all scram-sha-256`. */
  allow(...rules: string[]): Promise<void>
  /** Switches TLS of the server on or off. */
  setTls(value: 'on' | 'off'): Promise<void>
  /** Runs something. @returns the connections of Canvass that PostgreSQL accepted meanwhile */
  connectionsDuring(work: () => Promise<unknown>): Promise<LoggedConnection[]>
  stop(): Promise<void>
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
/** The passphrase of `client.key`. */
export const CLIENT_PASSPHRASE = 'a passphrase'

/** Starts a PostgreSQL with `ssl = on` and a certificate for `localhost`. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const folder = temporaryFolder()
  const cluster = path.join(folder, 'pg')
  const certificates = path.join(folder, 'certificates')
  execFileSync('mkdir', [certificates])
  createCertificates(certificates)
  const database = await startEmbedded(cluster, { ephemeral: true })
  const { uid, gid } = statSync(cluster)
  for (const name of ['server.crt', 'server.key', 'ca.crt']) {
    writeFileSync(path.join(cluster, name), readFileSync(path.join(certificates, name)), { mode: 0o600 })
    chownSync(path.join(cluster, name), uid, gid)
  }
  // Without TLS, for the set-up.
  const own = database.url()
  const execute = async (...statements: string[]) => {
    for (const statement of statements) await runSql(own, statement)
  }
  const ownRule = 'hostnossl postgres canvass 127.0.0.1/32 scram-sha-256'
  await execute(
    'create database canvass',
    `alter system set ssl_cert_file = 'server.crt'`,
    `alter system set ssl_key_file = 'server.key'`,
    `alter system set ssl_ca_file = 'ca.crt'`,
    'alter system set ssl = on',
    'alter system set log_connections = on',
    'select pg_reload_conf()',
  )
  const { port } = database
  const password = new URL(own).password
  const reload = async (isDone: () => Promise<boolean>) => {
    await execute('select pg_reload_conf()')
    await waitUntil(isDone, 10_000)
  }
  const shows = async (name: string, value: string) =>
    (await runSql<{ value: string }>(own, `select current_setting('${name}') as value`))[0]!.value === value
  await reload(() => shows('ssl', 'on'))
  const log = `${cluster}.log`
  return {
    database,
    file: (name) => path.join(certificates, name),
    url: (host, query) => `postgres://canvass:${password}@${host}:${port}/canvass${query}`,
    allow: async (...rules) => {
      writeFileSync(path.join(cluster, 'pg_hba.conf'), `${[ownRule, ...rules].join('\n')}\n`)
      const wanted = String(rules.length + 1)
      await reload(
        async () =>
          (await runSql<{ count: string }>(own, 'select count(*)::text from pg_hba_file_rules'))[0]!.count === wanted,
      )
      // A reload reaches new connections as soon as the postmaster has read the file.
      await new Promise((resolve) => setTimeout(resolve, 300))
    },
    setTls: async (value) => {
      await execute(`alter system set ssl = ${value}`)
      await reload(() => shows('ssl', value))
    },
    connectionsDuring: async (work) => {
      const start = statSync(log).size
      await work()
      return parseLog(readFileSync(log).subarray(start).toString())
    },
    stop: async () => {
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Reads the lines `connection authorized: … application_name=canvass-hot 0a1b… SSL enabled (…)`. */
const parseLog = (text: string): LoggedConnection[] =>
  [...text.matchAll(/connection authorized: .* application_name=(canvass.*)$/gm)].map(([, rest = '']) => ({
    name: rest.replace(/ SSL enabled.*/, '').replace(/ [0-9a-f]{16}$/, ''),
    encrypted: rest.includes(' SSL enabled '),
  }))

function createCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  for (const name of ['ca', 'wrong'])
    openssl('req', '-x509', ...KEY, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.crt`, '-subj', `/CN=${name}`)
  appendFileSync(path.join(folder, 'san'), 'subjectAltName=DNS:localhost\n')
  for (const [name, subject, key] of [
    ['server', '/CN=localhost', ['-nodes']],
    ['client', '/CN=canvass', ['-passout', `pass:${CLIENT_PASSPHRASE}`]],
  ] as const) {
    openssl('req', ...KEY, ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
    const sign = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san', '-days', '30']
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, ...sign)
    chmodSync(path.join(folder, `${name}.key`), 0o600)
  }
}
