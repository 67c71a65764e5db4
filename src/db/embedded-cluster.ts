import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { createSecret } from '../lib/secrets.ts'
import { makePrivateFolder } from '../lib/temporary-files.ts'
import { type Account, fallbackDataDir, isReachable } from './embedded-account.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'
import { processStart } from './embedded-lease.ts'

/**
 * A data folder and the parameters of its PostgreSQL. The log, the password and the leases are stored next to `folder`.
 */
export interface Cluster {
  folder: string
  binaries: string
  account: Account
  ephemeral: boolean
}

/** The superuser of every embedded cluster. */
export const superuser = 'canvass'

/** The environment of PostgreSQL: no secrets and no PG* variables of this process. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Returns the actual folder of the data. If the user of PostgreSQL cannot enter a parent folder (as in a clone below
 * /root), the data is stored in the fallback data folder, and `dataDir` becomes a link to it.
 * @throws {EmbeddedDatabaseError} for a broken link, or an existing cluster that the user cannot reach
 */
export function locate(dataDir: string, account: Account, log: (line: string) => void): string {
  makePrivateFolder(path.dirname(dataDir), account ? 0o711 : 0o700)
  const link = fs.lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()
  if (link && !fs.existsSync(dataDir))
    throw new EmbeddedDatabaseError(
      `${dataDir} is a link to ${fs.readlinkSync(dataDir)}, which does not exist. Restore it, or delete the link to start with an empty database.`,
    )
  if (link || isReachable(path.dirname(dataDir), account)) return realPath(dataDir)
  if (fs.existsSync(path.join(dataDir, 'PG_VERSION')))
    throw new EmbeddedDatabaseError(
      `PostgreSQL's user cannot reach ${dataDir}. Make its parent folders enterable (chmod o+x), or move it.`,
    )
  const moved = path.join(fallbackDataDir(), `pg-${randomBytes(6).toString('hex')}`)
  fs.mkdirSync(moved)
  fs.rmSync(dataDir, { recursive: true, force: true })
  fs.symlinkSync(moved, dataDir)
  log(`PostgreSQL's user cannot reach ${dataDir}. The data is stored in ${moved}, and ${dataDir} is a link to it.`)
  return moved
}

function realPath(dataDir: string): string {
  return fs.existsSync(dataDir)
    ? fs.realpathSync(dataDir)
    : path.join(fs.realpathSync(path.dirname(dataDir)), path.basename(dataDir))
}

/**
 * Creates the cluster if it does not exist.
 * @returns the password of the superuser
 * @throws {EmbeddedDatabaseError} when the folder contains other files, or the password file is missing
 */
export async function prepare(cluster: Cluster): Promise<string> {
  const { folder } = cluster
  const file = `${folder}.password`
  removeDrafts(folder)
  if (!fs.existsSync(path.join(folder, 'PG_VERSION'))) {
    if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0)
      throw new EmbeddedDatabaseError(
        `${folder} is not empty and is not a PostgreSQL cluster. Move it, or set DATA_DIR to another folder.`,
      )
    const password = createSecret(file, () => randomBytes(24).toString('base64url'))
    await initialise(cluster, password)
    return password
  }
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `${file} cannot be read (${(error as Error).message}). Restore it from a backup, run as its owner, or delete ${folder} to start with an empty database.`,
    )
  }
}

/**
 * Returns the name of a temporary folder next to the cluster. The name contains the process ID and the start time of
 * this process, so that a later start can recognise and remove the folder of a killed process.
 */
const draftName = (folder: string) =>
  `${folder}.new-${process.pid}-${processStart(process.pid)}-${randomBytes(4).toString('hex')}`

/** Removes the temporary folders of starts that were killed. */
function removeDrafts(folder: string): void {
  const prefix = `${path.basename(folder)}.new-`
  for (const name of fs.readdirSync(path.dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const [, pid, started] = /^(\d+)-(\d*)-/.exec(name.slice(prefix.length)) ?? []
    if (pid && processStart(Number(pid)) === started) continue
    // initdb of the start that was killed may still be writing.
    fs.rmSync(path.join(path.dirname(folder), name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/**
 * Creates the cluster in a temporary folder and renames it, so that an interrupted start leaves no incomplete cluster.
 */
async function initialise(cluster: Cluster, password: string): Promise<void> {
  const draft = draftName(cluster.folder)
  const passwordFile = `${draft}.password`
  const clear = () => {
    for (const file of [draft, passwordFile]) fs.rmSync(file, { recursive: true, force: true })
  }
  fs.mkdirSync(draft, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' })
  if (cluster.account)
    for (const file of [draft, passwordFile]) fs.chownSync(file, cluster.account.uid, cluster.account.gid)
  // The builtin provider sorts and lower-cases text the same on every machine, independently of the C library.
  const args = ['-D', draft, '-U', superuser, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8']
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions')
  if (cluster.ephemeral) args.push('--no-sync')
  try {
    await promisify(execFile)(path.join(cluster.binaries, 'bin', 'initdb'), args, {
      ...cluster.account,
      env: environment,
      cwd: '/',
    })
    fs.renameSync(draft, cluster.folder)
  } catch (error) {
    if (fs.existsSync(path.join(cluster.folder, 'PG_VERSION'))) return
    const { message, stderr } = error as Error & { stderr?: string }
    throw new EmbeddedDatabaseError(
      `Cannot create the embedded PostgreSQL cluster. Fix the cause, or set DATABASE_URL. ${stderr || message}`,
    )
  } finally {
    clear()
  }
}

/** Returns the major version of PostgreSQL that created a cluster; undefined if there is no cluster. */
export function clusterVersion(folder: string): number | undefined {
  const file = path.join(folder, 'PG_VERSION')
  return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : undefined
}

/** Renames a stopped cluster with the files next to it. */
export function move(from: string, to: string): void {
  fs.renameSync(from, to)
  // The files of a linked cluster are next to the target of the link.
  for (const suffix of ['.log', '.log.1', '.password', '.users'])
    if (fs.existsSync(from + suffix)) fs.renameSync(from + suffix, to + suffix)
}

/** Deletes all files of a cluster. */
export function remove(folder: string): void {
  for (const suffix of ['', '.log', '.log.1', '.password', '.users'])
    fs.rmSync(folder + suffix, { recursive: true, force: true })
}
