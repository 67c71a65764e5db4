import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stopWith } from './figures.ts'

/** The functions of the benchmark of a commit that start its service and fill its database. */
export interface Bench
  extends Pick<typeof import('./servers.ts'), 'startService' | 'temporaryDatabase' | 'createSurvey'>,
    Pick<typeof import('./seeded.ts'), 'seededDatabase'> {
  name: string
}

/** The folders of the benchmark: now, and in commits before November 28, 2026. */
const FOLDERS = ['tools/bench', 'scripts/bench']
const FUNCTIONS = ['startService', 'temporaryDatabase', 'createSurvey', 'seededDatabase'] as const

/** Returns the functions of the benchmark of a tree. */
export async function benchOf(tree: string, name: string): Promise<Bench> {
  const folder = FOLDERS.map((each) => path.join(tree, each)).find((each) => existsSync(path.join(each, 'seeded.ts')))
  const modules = folder ? ['servers.ts', 'seeded.ts'].map((file) => import(path.join(folder, file))) : []
  const bench = Object.assign({ name }, ...(await Promise.all(modules)))
  if (FUNCTIONS.some((each) => typeof bench[each] !== 'function'))
    stopWith(`${name} has another kind of benchmark. Choose a later commit as BASE.`)
  return bench
}

/**
 * Copies the files of a commit into a temporary folder, with their npm packages.
 * @param base a commit, branch or tag
 * @returns the short name of the commit, and the folder
 */
export function checkOut(root: string, base: string): { commit: string; folder: string } {
  if (!base) stopWith('Set BASE to the commit to compare with, as in: make bench-compare BASE=498e0158')
  for (const tool of ['git', 'tar', 'npm'])
    if (spawnSync(tool, ['--version']).error) stopWith(`bench-compare needs ${tool}. Install it, and run again.`)
  const found = spawnSync('git', ['rev-parse', '--short', '--verify', '--end-of-options', `${base}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  })
  if (found.status !== 0)
    stopWith(`BASE=${base} is no commit of this repository. In a shallow clone, run: git fetch --unshallow`)
  const commit = found.stdout.trim()
  const folder = mkdtempSync(path.join(tmpdir(), 'base-'))
  const archive = path.join(folder, 'commit.tar')
  execFileSync('git', ['archive', '-o', archive, commit], { cwd: root })
  const tree = path.join(folder, 'tree')
  mkdirSync(tree)
  execFileSync('tar', ['-xf', archive, '-C', tree])
  installPackages(root, tree, commit)
  return { commit, folder: tree }
}

/** Uses the packages of this tree if the commit needs the same; otherwise installs those of the commit. */
function installPackages(root: string, tree: string, commit: string): void {
  const [ours, theirs] = [root, tree].map((folder) => readFileSync(path.join(folder, 'package-lock.json'), 'utf8'))
  if (ours === theirs) {
    symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'))
    return
  }
  process.stderr.write(`  … installing the npm packages of ${commit}\n`)
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-progress'], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) stopWith(`npm ci of ${commit} failed (see above). It needs network access to the npm registry.`)
}
