import fs from 'node:fs'
import path from 'node:path'
import { EmbeddedDatabaseError } from './embedded-error.ts'

/** The operating system account PostgreSQL runs under; undefined means our own. */
export type Account = { uid: number; gid: number } | undefined

/**
 * PostgreSQL refuses to run as root. Then it runs as whoever owns the existing data folder, else as
 * `postgres`, else as `nobody`: accounts that exist on a bare machine, so none has to be made.
 * @throws when root has no account to step down to
 */
export function databaseAccount(dataDir: string): Account {
  if (process.getuid?.() !== 0) return undefined
  const owner = fs.existsSync(dataDir) ? fs.statSync(dataDir) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const known = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = known.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and there is neither a postgres nor a nobody user: set DATABASE_URL',
  )
}

/** Whether the account may enter every folder on the way to `target`, and `target` itself when it exists. */
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
 * A folder of ours that every account can enter and none but us can write to, for what cannot stay where
 * it was asked for. Root gets /var/lib: unlike /var/tmp it is never swept by age.
 * @throws when the folder belongs to somebody else, who could have planted files in it
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
  const found = fs.lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0)
    throw new EmbeddedDatabaseError(
      `${folder} is not a folder that only we can write to: remove it, or set DATABASE_URL`,
    )
  return folder
}
