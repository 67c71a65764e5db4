import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import path from 'node:path'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'

const VERSION = '4.32.5'
const image = `schemathesis/schemathesis:${VERSION}`

const tryCommand = (command: string, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(command, args, { encoding: 'utf8' })

/**
 * The command of Schemathesis, the first arguments of the command, and the path of the project folder as Schemathesis
 * sees it.
 */
export interface Tool {
  command: string
  args(environment: readonly string[]): string[]
  root: string
}

/**
 * Returns the Docker image of Schemathesis if Docker is available, otherwise a virtual environment.
 * @param canUseDocker false for a run that writes a report, because the container cannot write to the project folder
 * @throws Error with the programs to install if Docker and Python are missing
 */
export async function findSchemathesis(root: string, canUseDocker: boolean): Promise<Tool> {
  if (canUseDocker && tryCommand('docker', 'info').status === 0) {
    const args = (names: readonly string[]) => [
      ...['run', '--rm', '--init', '--network', 'host', '-v', `${root}:/app/canvass:ro`, '-w', '/app/canvass'],
      ...names.flatMap((name) => ['-e', name]),
      image,
    ]
    return { command: 'docker', args, root: '/app/canvass' }
  }
  const bin = await virtualEnvironment(path.join(root, 'build/venv/fuzz'), [`schemathesis==${VERSION}`], 'make fuzz')
  return { command: path.join(bin, 'st'), args: () => [], root }
}
