import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { buildAssets } from '../../scripts/assets.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startThrowaway } from './temp-postgres.ts'

declare global {
  var stopTestServer: (() => Promise<void>) | undefined
}

/**
 * Once a Jest run: a server (TEST_DATABASE_URL names one of yours, with a role that may create databases)
 * and on it `t_template`, migrated, from which every suite clones its own database. And the scripts that pages load, as
 * `make` bundles them.
 */
export default async function setUp(): Promise<void> {
  await buildAssets(fileURLToPath(new URL('../../build/assets', import.meta.url)))
  const given = process.env.TEST_DATABASE_URL
  const own = given ? undefined : await startThrowaway()
  globalThis.stopTestServer = own?.stop
  // Jest tears nothing down when it is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => own?.stop().finally(() => process.exit(1)))
  const server = given ?? own!.url
  try {
    process.env.TEST_SERVER_URL = server
    await makeTemplate(server)
  } catch (error) {
    await own?.stop()
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
  await migrate(template.href)
}
