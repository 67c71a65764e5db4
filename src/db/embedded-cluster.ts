import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { makePrivateFolder } from '../lib/private-folder.ts'
import { createSecret } from '../lib/secret-file.ts'
import { type Account, fallbackDataDir, isReachable } from './embedded-account.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'
import { processStart } from './embedded-lease.ts'

/** A data folder and what is needed to run PostgreSQL on it. Its log, password and leases stand beside `folder`. */
export interface Cluster {
  folder: string
  binaries: string
  account: Account
  ephemeral: boolean
}

/** The superuser of every embedded cluster. */
export const superuser = 'canvass'

/** PostgreSQL sees nothing of our environment: neither secrets nor PG* variables. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Where the data of `dataDir` really is. Below a folder that PostgreSQL's account cannot enter (a clone
 * below /root) it goes to the shelter, and `dataDir` becomes a link to it.
 * @throws when such a link leads nowhere
 */
export function locate(dataDir: string, account: Account, log: (line: string) => void): string {
  makePrivateFolder(path.dirname(dataDir), account ? 0o711 : 0o700)
  const link = fs.lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()
  if (link && !fs.existsSync(dataDir))
    throw new EmbeddedDatabaseError(
      `${dataDir} is a link to ${fs.readlinkSync(dataDir)}, which is gone: bring it back, or delete the link to begin with an empty database`,
    )
  if (link || isReachable(path.dirname(dataDir), account)) return real(dataDir)
  if (fs.existsSync(path.join(dataDir, 'PG_VERSION')))
    throw new EmbeddedDatabaseError(
      `PostgreSQL's user cannot reach ${dataDir}: make its parents enterable (chmod o+x), or move it`,
    )
  const moved = path.join(fallbackDataDir(), `pg-${randomBytes(6).toString('hex')}`)
  fs.mkdirSync(moved)
  fs.rmSync(dataDir, { recursive: true, force: true })
  fs.symlinkSync(moved, dataDir)
  log(`PostgreSQL's user cannot reach ${dataDir}: the data is in ${moved}, linked from there`)
  return moved
}

function real(dataDir: string): string {
  return fs.existsSync(dataDir)
    ? fs.realpathSync(dataDir)
    : path.join(fs.realpathSync(path.dirname(dataDir)), path.basename(dataDir))
}

/**
 * Makes the cluster unless it is there, and gives its password.
 * @throws when the folder holds something else, or the password file is lost
 */
export async function prepare(cluster: Cluster): Promise<string> {
  const { folder } = cluster
  const file = `${folder}.password`
  removeDrafts(folder)
  if (!fs.existsSync(path.join(folder, 'PG_VERSION'))) {
    if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0)
      throw new EmbeddedDatabaseError(
        `${folder} is not empty and no PostgreSQL cluster: move it away, or choose another DATA_DIR`,
      )
    const password = createSecret(file, () => randomBytes(24).toString('base64url'))
    await initialise(cluster, password)
    return password
  }
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `${file} cannot be read (${(error as Error).message}): put it back from a backup, run as its owner, or delete ${folder} to begin with an empty database`,
    )
  }
}

/** A name beside the folder for what is not whole yet. It tells which process makes it, so that a later start knows what is left. */
const draftName = (folder: string) =>
  `${folder}.new-${process.pid}-${processStart(process.pid)}-${randomBytes(4).toString('hex')}`

/** Removes what starts left that were killed while they created the cluster. */
function removeDrafts(folder: string): void {
  const prefix = `${path.basename(folder)}.new-`
  for (const name of fs.readdirSync(path.dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const [, pid, started] = /^(\d+)-(\d*)-/.exec(name.slice(prefix.length)) ?? []
    if (pid && processStart(Number(pid)) === started) continue
    // initdb of a killed start may still write for a moment.
    fs.rmSync(path.join(path.dirname(folder), name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Makes the cluster aside and renames it: an interrupted start leaves no half cluster to stumble over. */
async function initialise(cluster: Cluster, password: string): Promise<void> {
  const draft = draftName(cluster.folder)
  const passwordFile = `${draft}.password`
  const clear = () => {
    for (const left of [draft, passwordFile]) fs.rmSync(left, { recursive: true, force: true })
  }
  fs.mkdirSync(draft, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' })
  if (cluster.account)
    for (const own of [draft, passwordFile]) fs.chownSync(own, cluster.account.uid, cluster.account.gid)
  // The builtin provider orders and lowers text alike on every machine, whatever its C library.
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
      `The embedded PostgreSQL cannot be set up; fix this or set DATABASE_URL. ${stderr || message}`,
    )
  } finally {
    clear()
  }
}

/** Everything a cluster left on the disk. */
export function remove(folder: string): void {
  for (const ending of ['', '.log', '.log.1', '.password', '.users'])
    fs.rmSync(folder + ending, { recursive: true, force: true })
}
