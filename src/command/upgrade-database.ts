import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createBackup } from '../backup/backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type BackupLocation, openLocation } from '../backup/store.ts'
import { type BackupSettings, ConfigError, readBackupSettings } from '../config.ts'
import { clusterVersion, move, packagedVersion } from '../db/embedded/cluster.ts'
import { removeEmbedded, startEmbedded } from '../db/embedded/embedded.ts'
import { progressLine } from '../lib/terminal.ts'
import { DATABASE_NAME } from './database.ts'

/**
 * `upgrade-database`: copies the embedded database from an earlier major version of PostgreSQL to the packaged one. A
 * failure changes nothing.
 */
export async function run({ binaries }: { binaries: string }): Promise<void> {
  const settings = readBackupSettings()
  if (settings.databaseUrl)
    throw new ConfigError(
      'DATABASE_URL is set: upgrade-database upgrades the embedded PostgreSQL only. Use pg_upgrade.',
    )
  const folder = path.join(settings.dataDir, 'postgres')
  const [old, packaged] = [clusterVersion(folder), packagedVersion()]
  if (old === undefined) throw new ConfigError(`There is no database in ${settings.dataDir}. Check DATA_DIR.`)
  if (old >= packaged) {
    console.log(`The database already has PostgreSQL ${old}.`)
    return
  }
  const kept = `${folder}-${old}`
  if (existsSync(kept)) throw new ConfigError(`${kept} exists. Move or delete this earlier database first.`)
  const draft = `${folder}.upgrade`
  const backup = `${folder}-${old}.backup`
  await rm(backup, { force: true })
  await removeEmbedded(draft)
  try {
    const location = await openLocation(backup, new Date(), settings.s3)
    await copyOut(folder, binaries, location)
    await copyIn(draft, location, settings)
  } catch (error) {
    await removeEmbedded(draft)
    throw error
  } finally {
    await rm(backup, { force: true })
  }
  move(folder, kept)
  move(draft, folder)
  console.log(`The database now has PostgreSQL ${packaged}. Start the servers.`)
  console.log(`The database of PostgreSQL ${old} is kept in ${kept}. Delete it when everything works.`)
}

async function copyOut(folder: string, binaries: string, location: BackupLocation): Promise<void> {
  const cluster = await startEmbedded(folder, { binaries: path.resolve(binaries), log: console.log })
  try {
    if (cluster.adopted)
      throw new ConfigError('A program uses the database. Stop all servers and workers, then run the command again.')
    await createBackup(cluster.url(DATABASE_NAME), location, {
      createdAt: new Date(),
      secretKey: undefined,
      includesSecretKey: false,
      passphrase: undefined,
      progress: progressLine('copy'),
    })
  } finally {
    await cluster.stop()
  }
}

async function copyIn(folder: string, location: BackupLocation, { dataDir }: BackupSettings): Promise<void> {
  const cluster = await startEmbedded(folder, { log: console.log })
  try {
    await restoreBackup(location, async () => cluster.url(DATABASE_NAME), {
      dataDir,
      secretKey: undefined,
      replace: false,
      ignoreSecretKey: false,
      passphrase: async () => '',
      progress: progressLine('restore'),
    })
  } finally {
    await cluster.stop()
  }
}
