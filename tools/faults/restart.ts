import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.ts'
import { startLoad } from './load.ts'
import { type Postgres, type Restart, startPostgres } from './postgres.ts'
import type { Program } from './program.ts'
import { type Options, type Result, resultOf } from './report.ts'
import { minimumOf } from './scenario.ts'
import { createTarget, type Environment, inEnvironment } from './service.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 45_000

/**
 * Restarts PostgreSQL, kills a backend, or terminates all sessions under load. Each of these is done five times, in the
 * short form twice.
 */
export const restarts = (options: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const postgres = await startPostgres(environment.folder)
    environment.onCleanup(postgres.stop)
    const settings = { DATABASE_URL: postgres.url, WORKER: 'off' }
    const server = await environment.serve(settings)
    const restartServer = async () => {
      await server.program.end('SIGKILL')
      server.program = (await environment.serve(settings, server.port)).program
    }
    const results: Result[] = []
    for (const mode of ['fast', 'immediate', 'backend', 'terminate'] as const)
      results.push(await restart(mode, environment, postgres, server, restartServer, options))
    return results
  })

const LABELS: Readonly<Record<Restart, string>> = {
  fast: 'restarted (fast)',
  immediate: 'restarted (immediate)',
  backend: 'backend killed',
  terminate: 'sessions terminated',
}

async function restart(
  mode: Restart,
  { auth }: Environment,
  postgres: Postgres,
  { base }: { base: string; program: Program },
  restartServer: () => Promise<void>,
  options: Options,
): Promise<Result> {
  const { seed, short } = options
  const target = await createTarget(base, auth)
  const load = startLoad([base], { auth, target, seed, minimum: minimumOf(options) })
  await pause(short ? 500 : 2_000)
  const times = short ? 2 : 5
  const recoveries: number[] = []
  const problems: string[] = []
  while (recoveries.length < times && problems.length === 0) {
    const from = performance.now()
    await postgres.restart(mode)
    recoveries.push(await load.recovered(from, performance.now(), RECOVERY_LIMIT_MS))
    if (recoveries.at(-1) === Number.POSITIVE_INFINITY)
      problems.push(`down after restart ${recoveries.length}, until the server is restarted`)
    await pause(short ? 300 : 1_500)
  }
  if (problems.length) await restartServer()
  await load.stop()
  const audited = await audit(load, { base, auth, target, databaseUrl: postgres.url })
  const recoveryMs = Math.max(...recoveries)
  return resultOf(`PostgreSQL ${LABELS[mode]} ×${recoveries.length}`, load, audited, {
    recoveryMs,
    problems,
    options,
  })
}
