import { type RunningProgram, startProgram as startProcess } from '../../test/support/process.ts'

/** Maximum time until a program is ready, in milliseconds. */
const START_LIMIT_MS = 120_000

/** `serve` or `work` in a separate process. */
export interface Program {
  pid: number
  /** Sends a signal and waits until the process has ended. @returns the exit code, and the duration in milliseconds */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; durationMs: number }>
}

/**
 * Starts a command of the service, and resolves when it is ready.
 * @throws Error with the output of the command if it ends before it is ready
 */
export async function startProgram(command: 'serve' | 'work', settings: Record<string, string>): Promise<Program> {
  const started: RunningProgram = startProcess(settings, 'src/main.mjs', command)
  const timeout = setTimeout(() => started.kill('SIGKILL'), START_LIMIT_MS)
  await started.waitForOutput('Canvass is running').finally(() => clearTimeout(timeout))
  return {
    pid: started.pid,
    async end(signal) {
      const start = performance.now()
      const code = await started.kill(signal)
      return { code, durationMs: performance.now() - start }
    },
  }
}
