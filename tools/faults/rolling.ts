import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.ts'
import { startLoad } from './load.ts'
import { startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result, resultOf } from './report.ts'
import { minimumOf } from './scenario.ts'
import { createTarget, inEnvironment } from './service.ts'

/**
 * Stops and starts two servers alternately under load, six times (twice in the short form). No request may be
 * interrupted.
 */
export const rolling = (options: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const { seed, short } = options
    const { auth, folder } = environment
    const postgres = await startPostgres(folder)
    environment.onCleanup(postgres.stop)
    const settings = { DATABASE_URL: postgres.url, WORKER: 'off' }
    const servers = [await environment.serve(settings), await environment.serve(settings)]
    const bases = servers.map(({ base }) => base)
    const target = await createTarget(bases[0]!, auth)
    const load = startLoad(bases, { auth, target, seed, clients: 24, minimum: minimumOf(options) })
    await pause(500)
    const problems: string[] = []
    const recoveries: number[] = []
    const stops: number[] = []
    for (let stop = 0; stop < (short ? 2 : 6); stop += 1) {
      const server = servers[stop % 2]!
      const from = performance.now()
      const { code, durationMs } = await server.program.end('SIGTERM')
      stops.push(durationMs)
      recoveries.push(await load.recovered(from, performance.now(), 30_000))
      if (code !== 0) problems.push(`exit code ${code}`)
      server.program = (await environment.serve(settings, server.port)).program
      await pause(short ? 300 : 1_000)
    }
    await load.stop()
    if (load.cut.length) problems.push(`${load.cut.length} requests cut: ${load.cut.slice(0, 3).join(' | ')}`)
    if (load.unknown > load.cut.length) problems.push(`${load.unknown - load.cut.length} errors of the server`)
    const longest = Math.max(...stops)
    if (longest > limitMs(options)) problems.push(`a stop took ${Math.round(longest)} ms`)
    const audited = await audit(load, { base: bases[0]!, auth, target, databaseUrl: postgres.url })
    const fault = `two servers stopped in turn ×${stops.length} (${(longest / 1000).toFixed(1)} s at most)`
    return [resultOf(fault, load, audited, { recoveryMs: Math.max(...recoveries), problems, options })]
  })
