import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { buildAssets } from '../../scripts/assets.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { openLocation } from '../../src/backup/store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startTempPostgres } from './temp-postgres.ts'

declare global {
  var stopTestServer: (() => Promise<void>) | undefined
}

/**
 * Prepares a Jest run: bundles the scripts of the pages, starts a database server, and creates the migrated database
 * `t_template`, which each test file clones. TEST_DATABASE_URL names an existing server to use instead; its role needs
 * permission to create databases. TEST_BACKUP names a backup to restore into the template, so that the tests run on
 * restored data.
 */
export default async function setUp(): Promise<void> {
  // MikroORM sets it in the process of every suite, which is no leak.
  process.env.MIKRO_ORM_COLORS = 'true'
  await buildAssets(fileURLToPath(new URL('../../build/assets', import.meta.url)))
  // With a cluster, each test file creates its own database on the nodes, so no template is needed.
  if (process.env.CITUS_URL) return
  const configuredUrl = process.env.TEST_DATABASE_URL
  const ownServer = configuredUrl ? undefined : await startTempPostgres()
  globalThis.stopTestServer = ownServer?.stop
  // Jest does not run the teardown when it is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => ownServer?.stop().finally(() => process.exit(1)))
  const server = configuredUrl ?? ownServer!.url
  try {
    process.env.TEST_SERVER_URL = server
    await makeTemplate(server)
  } catch (error) {
    await ownServer?.stop()
    throw error
  }
}

async function makeTemplate(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('drop database if exists t_template with (force)')
    await client.query('create database t_template')
  } finally {
    await client.end()
  }
  const template = new URL(server)
  template.pathname = '/t_template'
  const backup = process.env.TEST_BACKUP
  if (!backup) {
    await migrate(template.href)
    return
  }
  const options = { dataDir: '', secretKey: undefined, replace: false, ignoreSecretKey: true }
  await restoreBackup(
    await openLocation(backup, new Date(), { region: undefined, addressing: 'auto' }),
    async () => template.href,
    { ...options, passphrase: async () => '', progress: () => undefined },
  )
}
