import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.ts'
import { startLoad } from './load.ts'
import { type Postgres, type Restart, startPostgres } from './postgres.ts'
import type { Program } from './program.ts'
import { type Options, type Result, resultOf } from './report.ts'
import { type Bench, createTarget, onBench } from './service.ts'

/** How long a server may take to write again before it counts as down, in milliseconds. */
const GIVE_UP_MS = 45_000

/** PostgreSQL is restarted under load, or ends every session: five times each (twice in the short form). */
export const restarts = (options: Options): Promise<Result[]> =>
  onBench(async (bench) => {
    const postgres = await startPostgres(bench.folder)
    bench.afterwards(postgres.stop)
    const settings = { DATABASE_URL: postgres.url, WORKER: 'off' }
    const server = await bench.serve(settings)
    const renew = async () => {
      await server.program.end('SIGKILL')
      server.program = (await bench.serve(settings, server.port)).program
    }
    const results: Result[] = []
    for (const how of ['fast', 'immediate', 'terminate'] as const)
      results.push(await restart(how, bench, postgres, server, renew, options))
    return results
  })

async function restart(
  how: Restart,
  { auth }: Bench,
  postgres: Postgres,
  { base }: { base: string; program: Program },
  renew: () => Promise<void>,
  options: Options,
): Promise<Result> {
  const { seed, short } = options
  const target = await createTarget(base, auth)
  const load = startLoad([base], { auth, target, seed })
  await pause(short ? 500 : 2_000)
  const times = short ? 2 : 5
  const recoveries: number[] = []
  const problems: string[] = []
  while (recoveries.length < times && problems.length === 0) {
    const from = performance.now()
    await postgres.restart(how)
    recoveries.push(await load.recovered(from, performance.now(), GIVE_UP_MS))
    if (recoveries.at(-1) === Number.POSITIVE_INFINITY)
      problems.push(`down after ${recoveries.length} of them, until the server is restarted`)
    await pause(short ? 300 : 1_500)
  }
  if (problems.length) await renew()
  await load.stop()
  const audited = await audit(load, { base, auth, target, databaseUrl: postgres.url })
  const recoveryMs = Math.max(...recoveries)
  return resultOf(`PostgreSQL restarted (${how}) ×${recoveries.length}`, load, audited, {
    recoveryMs,
    problems,
    options,
  })
}
