import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const VERSION = '4.32.5'
const image = `schemathesis/schemathesis:${VERSION}`

const tried = (command: string, ...words: string[]): SpawnSyncReturns<string> =>
  spawnSync(command, words, { encoding: 'utf8' })

/** How to start Schemathesis here: a command, its first words, and the folder as it is called inside. */
export interface Tool {
  command: string
  words(environment: readonly string[]): string[]
  root: string
}

/**
 * Its Docker image where an engine answers, else a virtual environment that is made once.
 * @throws saying what to install when there is neither
 */
export function findSchemathesis(root: string): Tool {
  if (tried('docker', 'info').status === 0) {
    const words = (names: readonly string[]) => [
      ...['run', '--rm', '--network', 'host', '-v', `${root}:/app/canvass:ro`, '-w', '/app/canvass'],
      ...names.flatMap((name) => ['-e', name]),
      image,
    ]
    return { command: 'docker', words, root: '/app/canvass' }
  }
  const folder = path.join(root, 'build/fuzz', VERSION)
  const stamp = path.join(folder, '.stamp')
  if (!existsSync(stamp)) {
    mkdirSync(folder, { recursive: true })
    console.log(`fuzz: installing Schemathesis ${VERSION} into build/fuzz (once)`)
    const made = tried('python3', '-m', 'venv', folder)
    if (made.status !== 0)
      throw new Error(
        `Fuzzing needs a running Docker engine, or Python 3.10 or newer with its venv module (Debian: apt-get install python3-venv). ${made.stderr ?? ''}`,
      )
    const installed = tried(path.join(folder, 'bin/pip'), 'install', '--quiet', `schemathesis==${VERSION}`)
    if (installed.status !== 0) throw new Error(`Schemathesis ${VERSION} could not be installed: ${installed.stderr}`)
    writeFileSync(stamp, '')
  }
  return { command: path.join(folder, 'bin/st'), words: () => [], root }
}
