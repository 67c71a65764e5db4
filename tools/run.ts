// Runs a tool in a process group and with a temporary folder of its own. When the tool ends or is interrupted (Ctrl-C,
// SIGTERM), ends all processes that it has started, PostgreSQL and browsers included, and deletes the folder.
// Run: node tools/run.ts tools/bench/bench.ts [argument ...]
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Time in which interrupted programs can end themselves, such as a container that Docker runs, in milliseconds. */
const GRACE_MS = 3_000
/** Time in which PostgreSQL can stop immediately, in milliseconds. */
const STOP_LIMIT_MS = 5_000

const [script = '', ...args] = process.argv.slice(2)
const folder = mkdtempSync(path.join(realpathSync(tmpdir()), `canvass-${path.basename(script, '.ts')}-`))
// PostgreSQL can run as another operating system user, who must be able to enter the folder.
chmodSync(folder, 0o755)
const child = spawn(process.execPath, [script, ...args], {
  detached: true,
  env: { ...process.env, TMPDIR: folder },
  stdio: ['ignore', 'inherit', 'inherit'],
})
const ended = new Promise<number>((resolve) => {
  child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
})

let interruption: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (!interruption) process.stderr.write('interrupted: ending all processes of this run\n')
    signalGroup(interruption ? 'SIGKILL' : 'SIGTERM')
    interruption ??= signal
  })

const code = await ended
if (code === 128 + constants.signals.SIGKILL && !interruption)
  console.error(`${script} was killed. The machine probably has too little memory: free some, or use a smaller SIZE.`)
for (const deadline = Date.now() + GRACE_MS; interruption && Date.now() < deadline && signalGroup(0); ) await pause(20)
signalGroup('SIGKILL')
await stopDetached()
for (const mount of mounts()) execFileSync('umount', ['-l', mount])
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
process.exit(interruption ? 128 + constants.signals[interruption] : code)

/** Sends a signal to the tool and all processes that it has not detached. @returns whether there are any */
function signalGroup(signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-child.pid!, signal)
  } catch {
    return false
  }
}

/** Ends the detached processes, which are in process groups of their own: PostgreSQL servers and browsers. */
async function stopDetached(): Promise<void> {
  for (const deadline = Date.now() + STOP_LIMIT_MS; ; await pause(20)) {
    const running = detached()
    if (running.length === 0) return
    for (const pid of running) {
      try {
        // SIGQUIT stops PostgreSQL immediately; it frees its shared memory.
        process.kill(pid, Date.now() < deadline ? 'SIGQUIT' : 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
  }
}

/** Returns the running processes whose command line contains the folder; without /proc, the PostgreSQL servers in it. */
function detached(): number[] {
  if (existsSync('/proc/self/cmdline')) return readdirSync('/proc').filter(isDetached).map(Number)
  const locks = globSync(`${folder}/**/postmaster.pid`)
  return locks.map((lock) => Number.parseInt(readFileSync(lock, 'utf8'), 10)).filter(isRunning)
}

function isDetached(name: string): boolean {
  try {
    return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder)
  } catch {
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the file systems that are mounted in the folder, the innermost first. */
function mounts(): string[] {
  if (!existsSync('/proc/self/mounts')) return []
  const points = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return points
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((point) => point.startsWith(`${folder}/`))
    .reverse()
}
