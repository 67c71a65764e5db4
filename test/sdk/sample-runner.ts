import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What became of a sample. */
export interface Played {
  printed: string
  /** Why it failed. */
  error?: string
}

export interface Player {
  play(file: string): Promise<Played>
  stop(): Promise<void>
}

/** A program that runs sample after sample, so that the language starts only once. */
export function startPlayer(command: string, program: string, cwd: string, env: NodeJS.ProcessEnv): Player {
  const child = spawn(command, [program], { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async play(file) {
      child.stdin.write(`${file}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`${program} ended while it ran ${file}`)
      return JSON.parse(value) as Played
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

/** In front of each sample: an answer that is no success ends it. The sample itself is run as it stands. */
const strict = 'set -euo pipefail\ncurl() { command curl --fail-with-body --silent --show-error "$@"; }\n'

/** Runs a sample in a shell. */
export function playShell(source: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Played> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env } }
    execFile('bash', ['-c', strict + source], options, (error, stdout, stderr) =>
      resolve({ printed: stdout, ...(error && { error: `${error.message}\n${stdout}${stderr}` }) }),
    )
  })
}
