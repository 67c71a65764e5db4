import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Settings } from '../lib/bucket.ts'
import { BackupError } from './format.ts'

/** A place of backups: a folder, or a prefix of a bucket. */
export interface BackupStore {
  /** Where a backup is, for messages. */
  locate(name: string): string
  /**
   * Stores a stream. A failed write leaves nothing.
   * @throws {BackupError | BucketError} when the backup exists or cannot be written
   */
  write(name: string, content: Readable): Promise<void>
  /** @throws {BackupError | BucketError} when the backup does not exist or cannot be read */
  read(name: string): Promise<Readable>
  /** Returns the names of all files. */
  list(): Promise<string[]>
  remove(name: string): Promise<void>
  /** Begins to store a backup in parts and aborts; absent for a folder. */
  tryParts?(name: string): Promise<void>
}

/** A backup in a store. */
export interface BackupLocation {
  store: BackupStore
  name: string
}

/** Returns the name of a backup that is made now; names sort by time. */
export const backupName = (now: Date): string => `canvass-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`

/** Matches the names of {@link backupName}. */
const BACKUP_NAME = /^canvass-\d{8}T\d{6}Z\.backup$/

/**
 * Finds the store of a target: a file, a folder or S3 prefix that ends with `/`, or `s3://bucket/key`.
 * @param now the time from which the name is generated if the target contains no name
 * @throws {BucketError} for a URL without a bucket
 */
export async function openLocation(target: string, now: Date, s3: S3Settings): Promise<BackupLocation> {
  const slash = target.lastIndexOf('/') + 1
  const name = target.slice(slash) || backupName(now)
  if (target.startsWith('s3://')) {
    const { openBucket } = await import('../lib/bucket.ts')
    return { store: openBucket(target.slice(0, slash), s3), name }
  }
  return { store: openFolder(target.slice(0, slash) || '.'), name }
}

/**
 * Finds a backup that exists. A folder or S3 prefix that ends with `/` means its newest backup with a generated name.
 * @throws {BackupError} if there is none
 */
export async function openExisting(target: string, s3: S3Settings): Promise<BackupLocation> {
  const location = await openLocation(target, new Date(), s3)
  if (!target.endsWith('/')) return location
  const [name] = (await listBackups(location.store)).reverse()
  if (name === undefined) throw new BackupError(`There is no backup in ${target}. Check the path, or name the file.`)
  return { ...location, name }
}

/** Returns the backups with a generated name, the oldest first. */
export const listBackups = async (store: BackupStore): Promise<string[]> =>
  (await store.list()).filter((name) => BACKUP_NAME.test(name)).sort()

/**
 * Deletes the older backups with a generated name and keeps the newest. Does not delete files with other names.
 * @param keep number of backups to keep
 * @returns the names of the deleted backups
 */
export async function prune(store: BackupStore, keep: number): Promise<string[]> {
  const names = await listBackups(store)
  const old = names.slice(0, Math.max(0, names.length - keep))
  for (const name of old) await store.remove(name)
  return old
}

/** Stores backups in a folder, readable by their owner only. */
function openFolder(folder: string): BackupStore {
  const locate = (name: string) => path.join(folder, name)
  return {
    locate,
    async write(name, content) {
      const file = locate(name)
      const draft = `${file}.part`
      try {
        await mkdir(folder, { recursive: true })
        await assertAbsent(file)
        await pipeline(content, createWriteStream(draft, { mode: 0o600, flush: true }))
        await rename(draft, file)
        await synchronise(folder)
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined)
        throw explain(error, file)
      }
    },
    async read(name) {
      const file = locate(name)
      const handle = await open(file).catch((error) => {
        throw explain(error, file)
      })
      return createReadStream(file, { fd: handle })
    },
    list: () =>
      readdir(folder).catch((error) => {
        throw explain(error, folder)
      }),
    remove: (name) =>
      rm(locate(name)).catch((error) => {
        throw explain(error, locate(name))
      }),
  }
}

async function assertAbsent(file: string): Promise<void> {
  const handle = await open(file).catch(() => undefined)
  await handle?.close()
  if (handle) throw new BackupError(`${file} exists. Choose another name, or delete it first.`)
}

/** Writes the names of the files of a folder to disk, so that a renamed file survives a power failure. */
async function synchronise(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

function explain(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new BackupError(`${file} does not exist. Check the path.`)
  if (code === 'ENOSPC')
    return new BackupError(`There is no space left for ${file}. Free space, or choose another disk.`)
  return syscall ? new BackupError(`${file} cannot be opened or written (${code}).`) : error
}
