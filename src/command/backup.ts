import { createBackup, verifyBackup } from '../backup/backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type BackupLocation, type BackupStore, openExisting, openLocation, prune } from '../backup/store.ts'
import { ConfigError, hashSecretKey, readBackupSettings, readConfigOfExistingDatabase } from '../config.ts'
import { assertSecretKey } from '../db/secret-key.ts'
import { BACKUP_WARNING } from '../lib/backup-process.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { askPassphrase, progressLine } from '../lib/terminal.ts'
import { type OpenDatabase, openUnmigrated } from './database.ts'

export interface BackupOptions {
  to?: string
  encrypt?: boolean
  includeSecretKey?: boolean
  withoutSecrets?: boolean
  verify: boolean
  /** Number of backups to keep. */
  keep?: string
}

/** `backup [file]`: backs up the database while it is in use, then reads the backup and verifies it. */
export async function run(file: string | undefined, options: BackupOptions): Promise<void> {
  const target = options.to ?? file
  if (!target) throw new ConfigError('Enter a file or an S3 URL. Example: canvass backup canvass.backup')
  const keep = keepOf(options.keep)
  const settings = readBackupSettings()
  if (!settings.databaseUrl) readConfigOfExistingDatabase()
  if (!options.withoutSecrets && !settings.secretKey)
    throw new ConfigError(
      `There is no secret key in ${settings.dataDir}. Set DATA_DIR or SECRET_KEY to the same value as for the server, or add --without-secrets.`,
    )
  const passphrase = settings.passphrase ?? (options.encrypt ? await askTwice() : undefined)
  // Anyone with the key and the database can sign in as anyone, so a readable file does not contain both.
  const includesSecretKey = !options.withoutSecrets && (options.includeSecretKey || passphrase !== undefined)
  const now = new Date()
  const location = await openLocation(target, now, settings.s3)
  const where = location.store.locate(location.name)
  const database = await openUnmigrated(settings)
  try {
    if (settings.secretKey) await assertSecretKey(database.url, hashSecretKey(settings.secretKey))
    await createBackup(database.url, location, {
      createdAt: now,
      secretKey: settings.secretKey?.text,
      includesSecretKey,
      progress: progressLine('backup'),
      passphrase,
    })
    await printExternalFiles(database.url, (files) => `Not in the backup: ${files}. Back up the bucket itself.`)
  } finally {
    await database.stop()
  }
  if (options.verify) await verifyBackup(location, async () => passphrase!, progressLine('verification'))
  if (keep) await deleteOld(location.store, keep)
  console.log(`Backup: ${where}${options.verify ? ' (verified)' : ''}`)
  console.log(describeSecrets(includesSecretKey, passphrase !== undefined))
}

/** Deletes older backups. A failure is a warning, because the new backup is stored. */
async function deleteOld(store: BackupStore, keep: number): Promise<void> {
  try {
    for (const old of await prune(store, keep)) console.log(`Deleted: ${store.locate(old)}`)
  } catch (error) {
    console.error(`${BACKUP_WARNING}older backups cannot be deleted. ${(error as Error).message}`)
  }
}

/** @throws {ConfigError} when the number is not a whole number from 1 on */
function keepOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const keep = Number(text)
  if (!Number.isInteger(keep) || keep < 1)
    throw new ConfigError(`--keep must be a whole number from 1 on, not "${text}".`)
  return keep
}

function describeSecrets(includesKey: boolean, isEncrypted: boolean): string {
  const mail = 'Files in DATA_DIR/outbox (development mail) are not part of a backup.'
  if (!includesKey)
    return `Left out: the secret key. Keep SECRET_KEY or DATA_DIR/secret-key separately: without it, API keys, links in emails and encrypted secrets are lost in a restore. Add --encrypt or --include-secret-key to include it. ${mail}`
  if (isEncrypted)
    return `It contains the secret key and is encrypted. Without the passphrase it cannot be restored. ${mail}`
  return `It contains the secret key and is not encrypted: store it like a password, or add --encrypt. ${mail}`
}

async function askTwice(): Promise<string> {
  const passphrase = await askPassphrase('Passphrase: ')
  if ((await askPassphrase('Passphrase again: ')) !== passphrase)
    throw new ConfigError('The passphrases differ. Nothing was backed up.')
  return passphrase
}

/** `backup verify <file>`: reads a backup and verifies all its rows. */
export async function verify(target: string): Promise<void> {
  const { passphrase, s3 } = readBackupSettings()
  const location = await openExisting(target, s3)
  printNewest(target, location)
  const ask = async () => passphrase ?? askPassphrase('Passphrase: ')
  const { header, rows, bytes } = await verifyBackup(location, ask, progressLine('verification'))
  const facts = [
    ['created', header.createdAt],
    ['version', `Canvass ${header.programVersion}, PostgreSQL ${header.postgresql}`],
    ['schema', header.migrations.at(-1)],
    ['tables', header.tables.length],
    ['rows', rows.toLocaleString('en')],
    ['size', `${bytes.toLocaleString('en')} bytes`],
    ['secret key', header.secretKey.included ? 'included' : 'left out'],
  ]
  for (const [name, value] of facts) console.log(`${String(name).padEnd(11)}${value}`)
  console.log('The backup is complete and intact.')
}

export interface RestoreCommandOptions {
  replace?: boolean
  ignoreSecretKey?: boolean
}

/** `restore <file>`: restores a backup into an empty database, or replaces a database. */
export async function runRestore(target: string, options: RestoreCommandOptions): Promise<void> {
  const settings = readBackupSettings()
  const location = await openExisting(target, settings.s3)
  printNewest(target, location)
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
    if (database)
      await printExternalFiles(
        database.url,
        (files) => `The servers need access to ${files}, which no backup contains.`,
      )
    console.log('Start the servers with the same DATA_DIR and DATABASE_URL.')
  } finally {
    await database?.stop()
  }
}

/** Says which backup a folder or S3 prefix means. */
function printNewest(target: string, { store, name }: BackupLocation): void {
  if (target.endsWith('/')) console.log(`The newest backup is ${store.locate(name)}.`)
}

/**
 * Prints the buckets whose files are not part of a backup of a database.
 * @param url the database, with any schema
 * @param sentence returns what to print about files such as “2 uploaded files (3.0 MB) in s3://files/”
 */
async function printExternalFiles(url: string, sentence: (files: string) => string): Promise<void> {
  const client = new DatabaseClient(connectionTo(url))
  await client.connect()
  try {
    // The database can be older than the program.
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'store' and table_name in ('uploaded_file', 'image')`,
    )
    if (tables.length === 0) return
    const all = tables.map(({ name }) => `select store, bytes from public.${name}`).join(' union all ')
    const { rows } = await client.query<{ store: string; files: number; bytes: number }>(
      `select store, count(*)::integer as files, sum(bytes)::float8 as bytes
       from (${all}) stored
       where store is not null group by store order by store`,
    )
    for (const { store, files, bytes } of rows)
      console.log(
        sentence(`${files} uploaded file${files === 1 ? '' : 's'} (${(bytes / 1e6).toFixed(1)} MB) in ${store}`),
      )
  } finally {
    await client.end()
  }
}
