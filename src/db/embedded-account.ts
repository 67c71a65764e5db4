import fs from 'node:fs'
import path from 'node:path'
import { EmbeddedDatabaseError } from './embedded-error.ts'

/** The operating system user of PostgreSQL; undefined: the user of this process. */
export type Account = { uid: number; gid: number } | undefined

/**
 * Returns the user that runs PostgreSQL, which refuses to run as root. If this process runs as root, the user is the
 * owner of the existing data folder, or else `postgres` or `nobody`, which exist on most systems.
 * @throws {EmbeddedDatabaseError} when this process runs as root and no such user exists
 */
export function databaseAccount(dataDir: string): Account {
  if (process.getuid?.() !== 0) return undefined
  const owner = fs.existsSync(dataDir) ? fs.statSync(dataDir) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and there is neither a postgres nor a nobody user. Create the user postgres, or set DATABASE_URL.',
  )
}

/** Returns whether the user may enter every parent folder of `target`, and `target` itself if it exists. */
export function isReachable(target: string, account: Account): boolean {
  if (!account) return true
  for (let folder = path.resolve(target); ; folder = path.dirname(folder)) {
    if (fs.existsSync(folder) && !mayEnter(fs.statSync(folder), account)) return false
    if (folder === path.dirname(folder)) return true
  }
}

function mayEnter(entry: fs.Stats, account: NonNullable<Account>): boolean {
  if (entry.uid === account.uid) return (entry.mode & 0o100) !== 0
  if (entry.gid === account.gid) return (entry.mode & 0o010) !== 0
  return (entry.mode & 0o001) !== 0
}

/**
 * Creates the fallback data folder, which replaces data folders that PostgreSQL cannot enter. Every user can enter the
 * fallback folder; only its owner can write to it. Root uses /var/lib, which is never cleaned up by age, unlike
 * /var/tmp.
 * @throws {EmbeddedDatabaseError} when the folder belongs to another user, who could have put files there
 */
export function fallbackDataDir(): string {
  const uid = process.getuid?.() ?? 0
  const folder = uid === 0 ? '/var/lib/canvass' : path.join('/var/tmp', `canvass-${uid}`)
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  try {
    fs.mkdirSync(folder)
    fs.chmodSync(folder, 0o711)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const stats = fs.lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o022) !== 0)
    throw new EmbeddedDatabaseError(
      `${folder} is not a folder that only this user can write to. Remove it, or set DATABASE_URL.`,
    )
  return folder
}
