import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.ts'
import { startLoad } from './load.ts'
import { ask, startPostgres } from './postgres.ts'
import { startProxy } from './proxy.ts'
import { type Options, type Result, resultOf } from './report.ts'
import { createTarget, onBench } from './service.ts'

/** How long a server may take to write again before it counts as down, in milliseconds. */
const GIVE_UP_MS = 60_000
/** How long a stopped server may take to end, in milliseconds. */
const STOP_LIMIT_MS = 60_000

/** Every connection to PostgreSQL falls silent under load, as in a failover: the old sessions are gone, new ones work. */
export const silence = (options: Options): Promise<Result[]> =>
  onBench(async (bench) => {
    const { seed, short } = options
    const { auth, folder } = bench
    const postgres = await startPostgres(folder)
    bench.afterwards(postgres.stop)
    const proxy = await startProxy(postgres.port)
    bench.afterwards(proxy.close)
    const through = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href
    const settings = { DATABASE_URL: through, WORKER: 'off' }
    const { base, port, program } = await bench.serve(settings)
    const target = await createTarget(base, auth)
    const load = startLoad([base], { auth, target, seed })
    await pause(short ? 500 : 2_000)
    const from = performance.now()
    proxy.silence()
    await ask(
      postgres.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const recoveryMs = await load.recovered(from, performance.now(), GIVE_UP_MS)
    const problems: string[] = []
    if (recoveryMs === Number.POSITIVE_INFINITY) problems.push('down until the server is restarted')
    // A silent database must not keep a server from ending.
    proxy.silence()
    const stopped = await Promise.race([program.end('SIGTERM'), pause(STOP_LIMIT_MS)])
    if (!stopped) {
      problems.push(`SIGTERM does not end it within ${STOP_LIMIT_MS / 1000} s`)
      await program.end('SIGKILL')
    }
    await ask(
      postgres.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await bench.serve(settings, port)
    await load.stop()
    const audited = await audit(load, { base, auth, target, databaseUrl: postgres.url })
    return [resultOf('connections fall silent', load, audited, { recoveryMs, problems, options })]
  })
