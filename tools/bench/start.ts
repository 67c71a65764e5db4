import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { line, median, ratio } from './figures.ts'
import { bundled, metric, startService } from './servers.ts'

const MAIN = fileURLToPath(new URL('../../build/server/main.mjs', import.meta.url))
/** Time after which a service that has started is idle, in milliseconds. */
const IDLE_MS = 30_000
/** Goals in seconds and megabytes. */
const COLD_GOAL = 2.5
const WARM_GOAL = 0.9
const MEMORY_GOAL = 160
const HELP_RUNS = 5
/** The unit of /proc/PID/stat on Linux. */
const TICKS_PER_SECOND = 100

/** What a start took: until the first reply, and CPU time of the process without PostgreSQL, in seconds. */
interface Start {
  seconds: number
  cpu: number
  /** Resident memory in megabytes, when the service is idle. */
  memory: number
}

/**
 * Measures the time until the service sends its first reply, its CPU time and its memory when it is idle. The first
 * start creates the database; the second start uses it. Prints the CPU time of a short command too. CPU time and memory
 * say more than time on a machine that does other work.
 */
export async function benchStart(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-bench-start-'))
  chmodSync(folder, 0o755)
  try {
    await bundled()
    console.log('start: time until the first reply, with the embedded database')
    const cold = await start(folder)
    const warm = await start(folder, IDLE_MS)
    line('cold, on an empty folder', `${cold.seconds.toFixed(1)} s, ${cold.cpu.toFixed(1)} s of CPU time`)
    ratio(`  of ${COLD_GOAL} s`, cold.seconds / COLD_GOAL, { atMost: 1 })
    line('warm', `${warm.seconds.toFixed(1)} s, ${warm.cpu.toFixed(1)} s of CPU time`)
    ratio(`  of ${WARM_GOAL} s`, warm.seconds / WARM_GOAL, { atMost: 1 })
    line(`memory after ${IDLE_MS / 1000} idle seconds`, `${Math.round(warm.memory)} MB`)
    ratio(`  of ${MEMORY_GOAL} MB`, warm.memory / MEMORY_GOAL, { atMost: 1 })
    line('canvass --help', `${median(Array.from({ length: HELP_RUNS }, helpMilliseconds)).toFixed(0)} ms of CPU time`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(folder: string, idleMs = 0): Promise<Start> {
  const begin = performance.now()
  const service = await startService(undefined, folder)
  const seconds = (performance.now() - begin) / 1000
  try {
    const cpu = cpuSeconds(service.pid)
    await pause(idleMs)
    return { seconds, cpu, memory: (await metric(service.base, 'process_resident_memory_bytes')) / 1e6 }
  } finally {
    await service.stop()
  }
}

/** Returns the CPU time of a process; NaN where there is no /proc. */
function cpuSeconds(pid: number): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) / TICKS_PER_SECOND
  } catch {
    return Number.NaN
  }
}

/** A module that prints the CPU time of its process at the exit. */
const REPORT = `data:text/javascript,${encodeURIComponent(`process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  process.stderr.write(String((userCPUTime + systemCPUTime) / 1000))
})`)}`

const helpMilliseconds = (): number =>
  Number(spawnSync(process.execPath, ['--import', REPORT, MAIN, '--help'], { encoding: 'utf8' }).stderr)
