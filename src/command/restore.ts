import { restoreBackup } from '../backup/restore.ts'
import { openLocation } from '../backup/store.ts'
import { readBackupSettings } from '../config.ts'
import { askPassphrase, progressLine } from '../lib/terminal.ts'
import { type OpenDatabase, openUnmigrated } from './database.ts'
import { printExternalFiles } from './external-files.ts'

export interface RestoreCommandOptions {
  replace?: boolean
  ignoreSecretKey?: boolean
}

/** `restore <file>`: restores a backup into an empty database, or replaces a database. */
export async function run(target: string, options: RestoreCommandOptions): Promise<void> {
  const settings = readBackupSettings()
  const location = await openLocation(target, new Date(), settings.s3)
  let database: OpenDatabase | undefined
  const open = async () => {
    database = await openUnmigrated(settings)
    return database.url
  }
  try {
    const { header, isCluster, secretKeyFile, movedKeyFile } = await restoreBackup(location, open, {
      dataDir: settings.dataDir,
      secretKey: settings.secretKey,
      replace: options.replace ?? false,
      ignoreSecretKey: options.ignoreSecretKey ?? false,
      passphrase: async () => settings.passphrase ?? askPassphrase('Passphrase: '),
      progress: progressLine('restore'),
    })
    console.log(`Restored the backup of ${header.createdAt}, made by Canvass ${header.programVersion}.`)
    if (secretKeyFile) console.log(`The secret key of the backup is in ${secretKeyFile}.`)
    if (movedKeyFile) console.log(`The previous secret key was moved to ${movedKeyFile}.`)
    if (isCluster)
      console.log('To distribute the responses over the nodes, run "canvass distribute" before you start the servers.')
    if (database) await printExternalFiles(database.url)
    console.log('Start the servers with the same DATA_DIR and DATABASE_URL.')
  } finally {
    await database?.stop()
  }
}
