import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** The result of a sample. */
export interface SampleResult {
  output: string
  /** The error if it failed. */
  error?: string
}

export interface SampleRunner {
  run(file: string): Promise<SampleResult>
  stop(): Promise<void>
}

/** Starts a process that runs many samples, so that the interpreter of the language starts only once. */
export function startRunner(command: string, program: string, cwd: string, env: NodeJS.ProcessEnv): SampleRunner {
  const child = spawn(command, [program], { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async run(file) {
      child.stdin.write(`${file}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`${program} exited while it ran ${file}`)
      return JSON.parse(value) as SampleResult
    },
    async stop() {
      child.stdin.end()
      await closed
    },
  }
}

/** Stops a shell sample at an error reply. */
const STRICT_SHELL = 'set -euo pipefail\ncurl() { command curl --fail-with-body --silent --show-error "$@"; }\n'

/** Runs a sample in a shell. */
export function runShell(source: string, cwd: string, env: NodeJS.ProcessEnv): Promise<SampleResult> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env } }
    execFile('bash', ['-c', STRICT_SHELL + source], options, (error, stdout, stderr) =>
      resolve({ output: stdout, ...(error && { error: `${error.message}\n${stdout}${stderr}` }) }),
    )
  })
}
