import { setTimeout as pause } from 'node:timers/promises'
import { query } from './postgres.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 60_000
/** Maximum time until `/healthz` replies while the database does not respond, in milliseconds. */
const HEALTH_LIMIT_MS = 2_000

/** Stops all processes of PostgreSQL for 15 seconds (SIGSTOP) under load. */
export const frozen = async (options: Options): Promise<Result[]> => [
  await runUnderLoad(options, { clients: 64 }, async ({ postgres, load, servers }) => {
    const backends = await query<{ pid: number }>(postgres.url, 'select pid from pg_stat_activity')
    const pids = [postgres.pid(), ...backends.map(({ pid }) => pid)]
    const problems: string[] = []
    for (const pid of pids) signal(pid, 'SIGSTOP')
    try {
      await pause(options.short ? 3_000 : 15_000)
      const start = performance.now()
      const { status } = await fetch(`${servers[0]!.base}/healthz`)
      const ms = performance.now() - start
      if (status !== 200 || ms > HEALTH_LIMIT_MS) problems.push(`/healthz: ${status} after ${Math.round(ms)} ms`)
    } finally {
      for (const pid of pids) signal(pid, 'SIGCONT')
    }
    const recoveries = [await load.resumed(performance.now(), RECOVERY_LIMIT_MS)]
    return { fault: `PostgreSQL frozen for ${options.short ? 3 : 15} s`, recoveries, problems }
  }),
]

/** Sends a signal to a process. The process may have ended since the processes were listed. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
