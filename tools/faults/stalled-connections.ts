import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.ts'
import { startLoad } from './load.ts'
import { query, startPostgres } from './postgres.ts'
import { startProxy } from './proxy.ts'
import { type Options, type Result, resultOf } from './report.ts'
import { minimumOf } from './scenario.ts'
import { createTarget, inEnvironment } from './service.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 60_000
/** Maximum time until a stopped server has ended, in milliseconds. */
const STOP_LIMIT_MS = 60_000

/**
 * Stalls all connections to PostgreSQL under load, as a failover does: the existing sessions are lost, but new sessions
 * work.
 */
export const stalledConnections = (options: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const { seed, short } = options
    const { auth, folder } = environment
    const postgres = await startPostgres(folder)
    environment.onCleanup(postgres.stop)
    const proxy = await startProxy(postgres.port)
    environment.onCleanup(proxy.close)
    const proxiedUrl = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href
    const settings = { DATABASE_URL: proxiedUrl, WORKER: 'off' }
    const { base, port, program } = await environment.serve(settings)
    const target = await createTarget(base, auth)
    const load = startLoad([base], { auth, target, seed, minimum: minimumOf(options) })
    await pause(short ? 500 : 2_000)
    const from = performance.now()
    proxy.stall()
    await query(
      postgres.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const recoveryMs = await load.recovered(from, performance.now(), RECOVERY_LIMIT_MS)
    const problems: string[] = []
    if (recoveryMs === Number.POSITIVE_INFINITY) problems.push('down until the server is restarted')
    // A database that does not reply must not prevent a server from stopping.
    proxy.stall()
    const stopped = await Promise.race([program.end('SIGTERM'), pause(STOP_LIMIT_MS)])
    if (!stopped) {
      problems.push(`the server does not stop within ${STOP_LIMIT_MS / 1000} s`)
      await program.end('SIGKILL')
    }
    await query(
      postgres.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await environment.serve(settings, port)
    await load.stop()
    const audited = await audit(load, { base, auth, target, databaseUrl: postgres.url })
    return [resultOf('connections stall', load, audited, { recoveryMs, problems, options })]
  })
