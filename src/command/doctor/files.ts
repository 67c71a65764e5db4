import { createHash, randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Client } from 'pg'
import { openLocation } from '../../backup/store.ts'
import type { InspectedConfig } from '../../config.ts'
import type { Bucket } from '../../lib/bucket.ts'
import { BucketError } from '../../lib/bucket-error.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Time without traffic after which the check fails, in milliseconds. */
const TIMEOUT_MS = 5_000
/** Size in bytes of the objects that the checks write: a part of a backup. A proxy may reject smaller requests too. */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024
const MEGABYTE = 1_000_000

/** The operations that a check tries, in order, by the verb in the finding. */
type Steps = Readonly<Record<string, () => Promise<unknown>>>

/** Checks that the server can write, read and delete objects in the bucket of uploaded files. Leaves no object. */
export async function checkBucket({ files }: InspectedConfig, found: Findings): Promise<void> {
  const { store, s3, maxMegabytes } = files
  if (!store) return found.ok('store', 'uploaded files are stored in the database')
  const { openBucket } = await import('../../lib/bucket.ts')
  const bucket = openBucket(store, s3, TIMEOUT_MS)
  const { name, content } = sample(Math.min(maxMegabytes * MEGABYTE, MAX_CONTENT_BYTES))
  const put = (bytes: Buffer) => {
    const digest = createHash('sha256').update(bytes).digest('hex')
    return bucket.put(name, { bytes: bytes.length, digest, read: () => Readable.from([bytes]) })
  }
  const steps = {
    // A store that rejects a large object may send no reason.
    write: () => put(content.subarray(0, 1)).then(() => put(content)),
    read: async () => assertSame(await bucket.read(name), content),
    delete: () => bucket.remove(name),
  }
  try {
    if (!(await tryAll(steps, 'uploaded files', 'FILES_URL', found))) return
    found.ok('store', `uploaded files are stored in ${store}`)
    await checkVersions(store, bucket, found)
  } finally {
    bucket.close()
  }
}

/** Checks whether deleted files remain as old versions in a bucket. */
async function checkVersions(store: string, bucket: Bucket, found: Findings): Promise<void> {
  const versioning = await bucket.versioning()
  if (!versioning) return found.ok('versions', `${store} does not tell whether it keeps old versions of deleted files`)
  const { keepsVersions, days } = versioning
  if (!keepsVersions) return found.ok('versions', `${store} keeps no old versions of deleted files`)
  if (days !== undefined) return found.ok('versions', `${store} keeps old versions of deleted files for ${days} days`)
  found.warning(
    'versions',
    `${store} keeps old versions of deleted files, and no visible lifecycle rule deletes them: files of erased persons remain readable in the bucket.`,
    'Add a lifecycle rule (NoncurrentVersionExpiration) that deletes old versions after the time for which you keep backups.',
  )
}

/** Checks that a worker can write, list, read and delete backups, and abort an upload. Leaves no file. */
export async function checkBackups({ backups, files: { s3 } }: InspectedConfig, found: Findings): Promise<void> {
  if (!backups) return found.ok('store', 'there is no schedule of backups')
  const { store } = await openLocation(backups.to, new Date(0), s3)
  const { name, content } = sample(MAX_CONTENT_BYTES)
  const steps: Steps = {
    write: () => store.write(name, Readable.from([content])),
    list: async () => {
      if (!(await store.list()).includes(name)) throw new Error(`${backups.to} does not list a new file.`)
    },
    read: async () => assertSame(await store.read(name), content),
    delete: () => store.remove(name),
    ...(store.tryParts && { 'abort an upload of': () => store.tryParts!(name) }),
  }
  if (await tryAll(steps, 'backups', 'BACKUP_TO', found)) found.ok('store', `backups are stored in ${backups.to}`)
}

/** Returns a new object with a name that no backup and no file has. */
const sample = (bytes: number) => ({
  name: `doctor-${randomBytes(8).toString('hex')}`,
  content: Buffer.alloc(bytes, 'Canvass can delete this object. '),
})

async function assertSame(stream: Readable, content: Buffer): Promise<void> {
  if (!(await buffer(stream)).equals(content)) throw new Error('The content differs from what was written.')
}

/** Tries operations and reports each that fails. Without the first, no other is tried. @returns whether all succeeded */
async function tryAll(steps: Steps, what: string, setting: string, found: Findings): Promise<boolean> {
  let isUsable = true
  for (const [operation, run] of Object.entries(steps))
    try {
      await run()
    } catch (error) {
      const { reason, mend } =
        error instanceof BucketError ? error : { reason: reasonOf(error), mend: `Check ${setting}.` }
      found.error(operation.split(' ')[0]!, `The server cannot ${operation} ${what}: ${reason}`, mend)
      if (isUsable && operation === Object.keys(steps)[0]) return false
      isUsable = false
    }
  return isUsable
}

/** Number of failed attempts after which a deletion is reported. */
const MAX_ATTEMPTS = 3

/** Checks that no object of a deleted file is left in a bucket after {@link MAX_ATTEMPTS} attempts to delete it. */
export async function checkDeletions(client: Client, found: Findings): Promise<void> {
  const { rows } = await client.query<{ store: string; objects: number }>(
    'select store, count(*)::integer as objects from file_deletion where attempts >= $1 group by store order by store',
    [MAX_ATTEMPTS],
  )
  for (const { store, objects } of rows)
    found.warning(
      'deletions',
      `${objects} deleted files are still in ${store}.`,
      'See the error in the log of the worker. The credentials need permission to delete objects, also in earlier buckets.',
    )
  if (!rows.length) found.ok('deletions', 'no deletion of a file in a bucket is overdue')
}

const GIB = 2 ** 30
/** Free space in bytes, below which the check reports a warning or an error. */
const SPACE_WARNING_BYTES = 2 * GIB
const SPACE_ERROR_BYTES = GIB / 4
/** Share of free inodes below which new files soon fail. */
const MIN_FREE_INODES = 0.02

/** Checks free space, and access to the data folder and the secret key. */
export function checkFolder(
  { dataDir, databaseUrl }: Pick<InspectedConfig, 'dataDir' | 'databaseUrl'>,
  found: Findings,
): void {
  const folder = existingParent(dataDir)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    found.ok('access', `${dataDir} is writable`)
  } catch {
    found.error(
      'access',
      `User ${process.getuid?.() ?? ''} cannot write to ${folder}.`,
      `Run: chown -R <user of the server> ${folder}. Or set DATA_DIR to another folder.`,
    )
  }
  checkSpace(folder, found)
  const cluster = join(dataDir, 'postgres')
  // The embedded cluster can be a link to another file system.
  if (!databaseUrl && existsSync(cluster) && statSync(cluster).dev !== statSync(folder).dev) checkSpace(cluster, found)
  checkSecrets(['secret-key', 'postgres.password'].map((name) => join(dataDir, name)).filter(existsSync), found)
}

function checkSpace(folder: string, found: Findings): void {
  const { bavail, bsize, ffree, files } = statfsSync(folder)
  const free = bavail * bsize
  const message = `${(free / GIB).toFixed(1)} GiB are free in ${folder}`
  const mend = 'Delete files, or enlarge the file system. On a full disk, PostgreSQL rejects all writes.'
  if (free < SPACE_ERROR_BYTES) found.error('space', `Only ${message}.`, mend)
  else if (free < SPACE_WARNING_BYTES) found.warning('space', `Only ${message}.`, mend)
  else found.ok('space', message)
  // Some file systems, such as Btrfs, have no fixed number of inodes.
  if (files > 0 && ffree / files < MIN_FREE_INODES)
    found.error(
      'inodes',
      `Only ${ffree} of ${files} inodes are free in ${folder}.`,
      'Delete small files, or use a file system with more inodes.',
    )
}

/** Checks that only the owner can read the files with secrets. */
function checkSecrets(files: readonly string[], found: Findings): void {
  const readable = files.filter((file) => statSync(file).mode & 0o077)
  if (readable.length)
    found.error(
      'secrets',
      `Other users of this machine can read ${readable.join(' and ')}.`,
      `Run: chmod 600 ${readable.join(' ')}. If people whom you do not trust have accounts on this machine, replace the secrets.`,
    )
  else if (files.length) found.ok('secrets', `only the owner can read ${files.join(' and ')}`)
}

const existingParent = (folder: string): string => (existsSync(folder) ? folder : existingParent(dirname(folder)))
