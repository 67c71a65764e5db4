import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { acceptNextSecretKey } from '../db/secret-key.ts'
import { type SecretKey, secretKeyFile } from '../lib/secrets.ts'
import { makePrivateFolder } from '../lib/temporary-files.ts'
import { fingerprintOf } from './encryption.ts'
import { BackupError, type BackupHeader } from './format.ts'
import { loadBackup } from './load.ts'
import { type BackupItem, readBackup } from './read.ts'
import type { BackupLocation } from './store.ts'
import { prepareTarget } from './target.ts'
import type { Progress } from './write.ts'

export interface RestoreOptions {
  dataDir: string
  /** The key of this installation; undefined: there is none. */
  secretKey: SecretKey | undefined
  /** Whether to replace a database that contains accounts, and a secret key that differs from that of the backup. */
  replace: boolean
  /** Restores without the secret key of the backup. */
  ignoreSecretKey: boolean
  passphrase(): Promise<string>
  progress: Progress
}

export interface RestoreSummary {
  header: BackupHeader
  /** Whether the database belongs to a Citus cluster. */
  isCluster: boolean
  /** The file with the restored secret key; undefined: the key was not changed. */
  secretKeyFile: string | undefined
  /** The file to which an existing secret key was moved. */
  movedKeyFile: string | undefined
}

/**
 * Restores a backup into the database of a URL. A failed restore leaves the accounts and responses of the database
 * unchanged.
 * @param open returns the URL; called when the backup has been opened
 * @throws {BackupError} when the backup or the database cannot be used
 */
export async function restoreBackup(
  { store, name }: BackupLocation,
  open: () => Promise<string>,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const items = readBackup(await store.read(name), store.locate(name), options.passphrase)
  const { header, secretKey, rest } = await readStart(items)
  const key = planSecretKey(header, secretKey, options)
  const target = await prepareTarget(await open(), options.replace)
  try {
    await loadBackup(target.url, header, rest, options.progress)
    await key.stage()
    if (key.isLost) await acceptNextSecretKey(target.url)
    await target.finish()
  } catch (error) {
    await target.discard()
    await key.discard()
    throw error
  }
  return { header, isCluster: target.isCluster, ...(await key.apply()) }
}

/** Reads the header, and the secret key if there is one. */
async function readStart(items: AsyncGenerator<BackupItem>) {
  const first = await items.next()
  if (first.value?.kind !== 'header') throw new BackupError('The backup has no header.')
  const { header } = first.value
  if (!header.secretKey.included) return { header, secretKey: undefined, rest: items }
  const second = await items.next()
  return { header, secretKey: second.value?.kind === 'secretKey' ? second.value.text : undefined, rest: items }
}

/**
 * Decides what happens to the secret key.
 * @throws {BackupError} when this installation does not have the key of the backup, and the restore cannot store it
 */
function planSecretKey(
  { secretKey: { fingerprint } }: BackupHeader,
  text: string | undefined,
  options: RestoreOptions,
) {
  const { secretKey: own, dataDir, replace, ignoreSecretKey } = options
  const file = secretKeyFile(dataDir)
  const draft = `${file}.new-${randomBytes(6).toString('hex')}`
  const nothing = { stage: async () => undefined, discard: async () => undefined }
  const isSame = own && fingerprint === fingerprintOf(own.text)
  if (isSame || ignoreSecretKey || !fingerprint)
    return {
      ...nothing,
      isLost: !isSame && ignoreSecretKey,
      apply: async () => ({ secretKeyFile: undefined, movedKeyFile: undefined }),
    }
  const consequence = 'Without it, API keys, links in emails and encrypted secrets are invalid.'
  if (text === undefined)
    throw new BackupError(
      `The backup was made without its secret key, and ${own ? `${own.source} is another key` : 'SECRET_KEY is not set'}. Set SECRET_KEY to the key of that installation (its SECRET_KEY, or the content of its file DATA_DIR/secret-key), or add --ignore-secret-key. ${consequence}`,
    )
  if (own?.source === 'SECRET_KEY')
    throw new BackupError(
      `SECRET_KEY is not the key of this backup. Unset it: the restore then stores the key of the backup in ${file}. Or add --ignore-secret-key. ${consequence}`,
    )
  if (own && !replace)
    throw new BackupError(
      `${file} is not the key of this backup. Add --replace to replace it; the file is kept under another name.`,
    )
  return {
    isLost: false,
    stage: async () => {
      if (!existsSync(dataDir)) makePrivateFolder(dataDir, 0o700)
      await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    },
    discard: () => rm(draft, { force: true }),
    apply: async () => {
      const moved = own && `${file}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
      if (moved) await rename(file, moved)
      await rename(draft, file)
      return { secretKeyFile: file, movedKeyFile: moved }
    },
  }
}
