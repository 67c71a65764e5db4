import { type RunningProgram, startProgram as startProcess } from '../../test/support/process.ts'

/** How long a program may take to start, in milliseconds. */
const START_MS = 120_000

/** `serve` or `work` in a process of its own. */
export interface Program {
  pid: number
  /** Sends a signal and waits for the end. @returns the exit code, and how long it took in milliseconds */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; millis: number }>
}

/**
 * Starts a command of the service, and resolves when it is ready.
 * @throws Error with its output when it ends before
 */
export async function startProgram(command: 'serve' | 'work', settings: Record<string, string>): Promise<Program> {
  const started: RunningProgram = startProcess(settings, 'src/main.ts', command)
  const late = setTimeout(() => started.kill('SIGKILL'), START_MS)
  await started.waitForOutput('Canvass is running').finally(() => clearTimeout(late))
  return {
    pid: started.pid,
    async end(signal) {
      const began = performance.now()
      const code = await started.kill(signal)
      return { code, millis: performance.now() - began }
    },
  }
}
