import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InspectedConfig } from '../../config.ts'
import type { Findings } from './finding.ts'

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
