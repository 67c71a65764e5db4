import { afterEach } from '@jest/globals'
import { type RunningProgram, startProcess } from './process.ts'
import type { World } from './world.ts'

/** Starts programs of the project that are killed after each test. Call it at the top of a test file. */
export function usePrograms(world: World) {
  const running: RunningProgram[] = []
  afterEach(async () => {
    for (const program of running.splice(0)) await program.kill('SIGKILL')
  })
  const start = (script: string, ...args: string[]): RunningProgram => {
    const program = startProcess(world, script, ...args)
    running.push(program)
    return program
  }
  return {
    start,
    /** Starts `canvass work` and waits until it is ready. */
    async startWorker(): Promise<RunningProgram> {
      const worker = start('src/main.ts', 'work')
      await worker.waitForOutput('Canvass is running background jobs')
      return worker
    },
  }
}
