import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'

const root = path.resolve(import.meta.dirname, '../..')
const LIMIT_MS = 200_000
const tools: Readonly<Record<string, string[]>> = {
  bench: ['tools/bench/bench.ts', 'submit'],
  chaos: ['tools/faults/chaos.ts', 'servers', '--short'],
  fuzz: ['tools/fuzz/fuzz.ts'],
}
/** When a run is interrupted: a text in the command line of a process that the tool has started. */
const moments = { 'creates its database': '/bin/initdb', 'has a server': '/main.mjs\0serve' }

let folder: string
let run: ChildProcess

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'canvass-interruption-'))
  chmodSync(folder, 0o755)
})

afterEach(() => {
  run.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** Returns the command lines of the running processes that use the folder. */
const commands = (): string[] =>
  readdirSync('/proc').flatMap((pid) => {
    const read = (get: () => string) => {
      try {
        return get()
      } catch {
        return ''
      }
    }
    const texts = ['cmdline', 'environ'].map((name) => read(() => readFileSync(`/proc/${pid}/${name}`, 'utf8')))
    return [...texts, read(() => readlinkSync(`/proc/${pid}/cwd`))].some((text) => text.includes(folder))
      ? [texts[0]!]
      : []
  })

async function untilRunning(text: string): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !commands().some((command) => command.includes(text)); await pause(5))
    if (run.exitCode !== null || Date.now() > deadline) throw new Error(`The tool does not run ${text}.`)
}
// The processes of a run are found in /proc.
;(existsSync('/proc/self/environ') ? describe : describe.skip)('an interrupted run', () => {
  test.each(
    Object.keys(tools).flatMap((tool) =>
      Object.keys(moments).flatMap((moment, index) => [[tool, moment, index ? 'SIGINT' : 'SIGTERM'] as const]),
    ),
  )(
    'of %s, which %s when it gets %s, leaves no process and no folder',
    async (tool, moment, signal) => {
      const env = { PATH: process.env.PATH, TMPDIR: folder, FUZZ_EXAMPLES: '20', FUZZ_ONLY: 'v2' }
      run = spawn(process.execPath, ['tools/run.ts', ...tools[tool]!], { cwd: root, env, stdio: 'ignore' })
      const exited = once(run, 'exit')
      await untilRunning(moments[moment as keyof typeof moments])
      run.kill(signal)
      expect(await exited).toEqual([signal === 'SIGINT' ? 130 : 143, null])
      expect(commands()).toEqual([])
      expect(readdirSync(folder)).toEqual([])
    },
    LIMIT_MS,
  )
})
