import { chmodSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import type { Finding } from '../../src/lib/finding.ts'
import { useBucket } from '../support/bucket.ts'
import { type ProxyFaults, useFaultyProxy } from '../support/faulty-proxy.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const trusting = useWorld({ realTime: true, settings: { TRUSTED_PROXIES: '1' } })
const below = useWorld({ realTime: true, settings: { TRUSTED_PROXIES: '1' }, basePath: '/surveys' })
const bucket = useBucket('files')
const other: Server = createServer((_, response) => response.end('another server'))
const proxy = useFaultyProxy()
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ password }, _session, done) =>
    password === 'right' ? done(null, { user: 'ann' }) : done(new Error('Invalid login')),
})
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

beforeAll(async () => {
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  other.close()
  await new Promise<void>((resolve) => mail.close(resolve))
})

/**
 * Runs the doctor with the settings of the world. @returns its exit code, and its findings without those that are ok
 */
async function diagnose(settings: Record<string, string> = {}): Promise<[number, Finding[]]> {
  const { code, output } = await runCanvass(
    {
      DATABASE_URL: world.databaseUrl,
      SECRET_KEY: world.secretKey,
      BASE_URL: world.base,
      DATA_DIR: world.dataDir,
      SMTP_URL: `smtp://ann:right@127.0.0.1:${portOf(mail.server)}`,
      PROCESSES: '1',
      ...settings,
    },
    'doctor',
    '--json',
  )
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  return [code, findings.filter(({ status }) => status !== 'ok')]
}

/** Runs statements on the database of the world. */
async function execute(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: world.databaseUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const found = (check: string, status: 'warning' | 'error', message: RegExp, mend: RegExp) =>
  expect.objectContaining({
    check,
    status,
    message: expect.stringMatching(message),
    mend: expect.stringMatching(mend),
  })

/**
 * Production needs fsync, so the doctor reports an error if fsync is off. The PostgreSQL clusters of the tests run
 * without fsync.
 */
const durability = found(
  'database.durability',
  'error',
  /^fsync and full_page_writes are off/,
  /alter system set fsync = on/,
)

describe('canvass doctor', () => {
  it('reports all invalid settings at once, and faults of the servers and folders that the settings name', async () => {
    writeFileSync(path.join(world.dataDir, 'secret-key'), 'k'.repeat(64))
    chmodSync(path.join(world.dataDir, 'secret-key'), 0o644)
    const [code, findings] = await diagnose({
      WORKER: 'perhaps',
      METRICS_TOKEN: 'short',
      DATABASE_URL: 'postgres://ann@127.0.0.1:1/canvass',
      SMTP_URL: 'smtp://127.0.0.1:1',
      BASE_URL: 'http://surveys.invalid',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      ...bucket.credentials,
      FILES_URL: 's3://nowhere/canvass',
    })
    chmodSync(path.join(world.dataDir, 'secret-key'), 0o600)
    expect(findings).toEqual([
      found('settings.WORKER', 'error', /WORKER must be on or off, not "perhaps"/, /\.env\.example/),
      found('settings.METRICS_TOKEN', 'error', /at least 16 characters/, /^Create one with: openssl/),
      found('folder.secrets', 'error', /Other users of this machine can read .*secret-key/, /^Run: chmod 600 /),
      found(
        'database.connection',
        'error',
        /cannot connect to the database at 127\.0\.0\.1:1/,
        /^Check that PostgreSQL/,
      ),
      found('files.write', 'error', /^The server cannot write uploaded files: .*no such bucket\.$/, /^Create it first/),
      found('mail.server', 'error', /ECONNREFUSED/, /port/),
      found('address.https', 'warning', /plain text/, /proxy with TLS/),
      found('address.dns', 'error', /surveys\.invalid has no address/, /^Add an A or AAAA record/),
      found('traces.receiver', 'error', /does not answer at 127\.0\.0\.1:1/, /Port 4318/),
    ])
    expect(code).toBe(1)
  })

  it('finds faults of the database, the jobs, the mail login and the proxies, and states how to mend each', async () => {
    await world.person()
    await execute(
      'drop extension btree_gin cascade',
      `update pgboss.version set cron_on = now() - interval '2 hours'`,
      `insert into pgboss.job (name, start_after) values ('send-email', now() - interval '1 hour')`,
      `insert into pgboss.job (name, state) values ('send-test-email', 'failed')`,
      `insert into file_deletion (store, name, attempts) values ('s3://files/', '1/a', 5)`,
      `update security_event set kind = 'nothing' where ctid = (select min(ctid) from security_event)`,
    )
    const [code, findings] = await diagnose({
      DATABASE_REPLICA_URL: world.databaseUrl,
      SMTP_URL: `smtp://ann:wrong@127.0.0.1:${portOf(mail.server)}`,
      TRUSTED_PROXIES: '2',
      PROCESSES: '100',
      ...bucket.credentials,
      FILES_URL: 's3://files/canvass/',
    })
    expect(bucket.objects()).toEqual([])
    expect(findings).toEqual([
      durability,
      found(
        'database.connections',
        'warning',
        /opens up to 2840 connections, but PostgreSQL \(max_connections\) allows \d+/,
        /max_connections = \d+/,
      ),
      found('database.extensions', 'error', /lacks btree_gin/, /create extension btree_gin;/),
      found('jobs.worker', 'error', /No worker has run for 120 minutes/, /canvass work/),
      found('jobs.waiting', 'warning', /has been due for 60 minutes/, /more of them/),
      found('jobs.failed', 'warning', /send-test-email/, /job failed/),
      found('files.deletions', 'warning', /^1 deleted files are still in s3:/, /permission to delete/),
      found('security log.chain', 'error', /entry 1 was changed/, /verify-log/),
      found('database.replica', 'error', /is not a replica/, /DATABASE_REPLICA_URL/),
      found('mail.server', 'error', /Invalid login/, /user name and password in SMTP_URL/),
      found('address.proxies', 'error', /TRUSTED_PROXIES is 2, but 0 proxies/, /TRUSTED_PROXIES=0/),
    ])
    expect(code).toBe(1)
  })

  const behindProxy = async (faults: ProxyFaults, settings: Record<string, string> = {}, upstream = trusting) => {
    Object.assign(proxy, { faults, upstream: upstream.base })
    const [, findings] = await diagnose({
      SECRET_KEY: upstream.secretKey,
      DATABASE_URL: upstream.databaseUrl,
      TRUSTED_PROXIES: '1',
      BASE_URL: proxy.url,
      FILE_MAX_MB: '3',
      ...settings,
    })
    return findings.filter(({ check }) => check.startsWith('address.'))
  }

  it('accepts a proxy that does what docs/proxies.md asks for, and one that writes addresses with ports', async () => {
    expect(await behindProxy({})).toEqual([])
    expect(await behindProxy({ forwardedFor: '[2001:db8::7]:4711' })).toEqual([])
    // nginx passes on $host, which has no port.
    expect(await behindProxy({ host: '127.0.0.1' })).toEqual([])
  })

  const noAddress = found('address.proxies', 'error', /TRUSTED_PROXIES is 1, but 0 proxies/, /proxy_set_header/)
  const believes = found('address.forwarded', 'error', /believes an address that the client wrote/, /proxy_set_header/)
  it.each<[string, ProxyFaults, unknown[]]>([
    ['adds no address', { forwardedFor: 'client', omitsProtocol: true }, [noAddress, believes]],
    [
      'writes a name for the address',
      { forwardedFor: 'unknown' },
      [found('address.forwarded', 'error', /writes "unknown" into X-Forwarded-For, which is not/, /proxy_set_header/)],
    ],
    [
      'writes an impossible port',
      { forwardedFor: '198.51.100.7:99999' },
      [found('address.forwarded', 'error', /writes "198.51.100.7:99999"/, /proxy_set_header/)],
    ],
    [
      'follows another proxy that TRUSTED_PROXIES does not count',
      { forwardedFor: '198.51.100.7, 198.51.100.8' },
      [found('address.proxies', 'error', /2 proxies add .* TRUSTED_PROXIES is 1/, /TRUSTED_PROXIES=2/)],
    ],
    [
      'replaces the host',
      { host: 'upstream:8080' },
      [found('address.host', 'warning', /replaces the host .* by upstream:8080/, /proxy_set_header Host/)],
    ],
    [
      'omits X-Forwarded-Proto',
      { omitsProtocol: true },
      [found('address.protocol', 'warning', /No proxy sets X-Forwarded-Proto/, /X-Forwarded-Proto \$scheme/)],
    ],
    [
      'speaks HTTP/1.0',
      { speaksOldHttp: true },
      [found('address.version', 'warning', /in HTTP\/1.0/, /proxy_http_version 1.1/)],
    ],
    [
      'limits bodies',
      { maxBody: 1_000_000 },
      [
        found(
          'address.bodies',
          'error',
          /3 MB \(FILE_MAX_MB\) does not reach the server; it gets 413/,
          /client_max_body/,
        ),
      ],
    ],
    [
      'decodes addresses',
      { decodesPaths: true },
      [found('address.encoded', 'error', /changes the address .* to \/healthz\/a\/b;c%\//, /AllowEncodedSlashes/)],
    ],
    ['caches health checks', { caches: true }, [found('address.cache', 'error', /A cache replies/, /Cache-Control/)]],
  ])('finds a proxy that %s', async (_, faults, findings) => {
    expect(await behindProxy(faults)).toEqual(findings)
  })

  it('finds a proxy that removes a path which it has to pass on', async () => {
    const settings = { BASE_URL: `${proxy.url}/surveys` }
    expect(await behindProxy({}, settings, below)).toEqual([])
    expect(await behindProxy({ removes: '/surveys' }, settings, below)).toEqual([
      found('address.path', 'error', /removes \/surveys from addresses/, /no path in proxy_pass/),
    ])
  })

  it('finds a SECRET_KEY that is not the key of the database, and another server at BASE_URL', async () => {
    await world.person()
    const [, findings] = await diagnose({
      SECRET_KEY: 's'.repeat(32),
      BASE_URL: `http://127.0.0.1:${portOf(other)}`,
    })
    expect(findings).toContainEqual(
      found('security log.chain', 'error', /secret key is not the one/, /restore DATA_DIR\/secret-key/),
    )
    expect(findings).toContainEqual(
      found('address.reply', 'error', /replies with 200, but the reply is not from this server/, /BASE_URL/),
    )
  })

  it('finds a schema that is older or newer than the program, and a read-only database', async () => {
    await execute(`delete from migration where name = (select max(name) from migration)`)
    expect((await diagnose())[1]).toContainEqual(
      found('database.schema', 'warning', /1 of \d+ migrations have not run/, /canvass migrate/),
    )
    await execute(
      `insert into migration (name) values ('Migration20990101000000_future')`,
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    )
    expect((await diagnose())[1]).toContainEqual(
      found('database.connection', 'error', /is read-only/, /^Use a primary server/),
    )
    await execute(
      'set default_transaction_read_only = off',
      `do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
    )
    expect((await diagnose())[1]).toContainEqual(
      found('database.schema', 'error', /newer version of Canvass/, /Downgrade/),
    )
  })
})

describe('canvass config', () => {
  it('prints all settings with value and source, masks secrets, and reports all errors', async () => {
    const { code, output } = await runCanvass(
      {
        DATA_DIR: world.dataDir,
        DATABASE_URL: 'postgres://ann:secret-1@db.example.org/canvass',
        SMTP_URL: 'smtp://ann:secret-2@mail.example.org',
        ADMIN_PASSWORD: 'secret-3',
        LOG_LEVEL: 'loud',
      },
      'config',
      '--json',
    )
    expect(output).not.toContain('secret-1')
    expect(output).not.toMatch(/secret-[123]/)
    const end = output.lastIndexOf('}') + 1
    const { settings, errors } = JSON.parse(output.slice(0, end))
    expect(settings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'PORT', value: '8080', source: 'default' }),
        expect.objectContaining({ name: 'DATABASE_URL', value: 'postgres://ann:***@db.example.org/canvass' }),
        expect.objectContaining({ name: 'SMTP_URL', value: 'smtp://ann:***@mail.example.org' }),
        expect.objectContaining({ name: 'ADMIN_PASSWORD', value: '***', source: 'environment' }),
        expect.objectContaining({ name: 'SECRET_KEY', value: '***', source: 'file' }),
        expect.objectContaining({ name: 'BASE_URL', value: 'http://127.0.0.1:8080', source: 'default' }),
      ]),
    )
    expect(errors).toEqual(
      [expect.stringMatching(/^ADMIN_USERNAME/), expect.stringMatching(/^LOG_LEVEL must be one of/)].reverse(),
    )
    expect(code).toBe(1)
  })
})
