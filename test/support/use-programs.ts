import { afterEach } from '@jest/globals'
import { type RunningProgram, settingsOf, startProcess, startProgram } from './process.ts'
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
    /** Starts `canvass work` and waits until it is ready. @param settings additional environment variables */
    async startWorker(settings: Record<string, string> = {}): Promise<RunningProgram> {
      const worker = startProgram({ ...settingsOf(world), ...settings }, 'src/main.mjs', 'work')
      running.push(worker)
      await worker.waitForOutput('Canvass is running background jobs')
      return worker
    },
  }
}
