import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { address, readLock } from '../../src/db/embedded/server.ts'
import { audit } from './audit.ts'
import { startLoad } from './load.ts'
import { type Options, type Result, resultOf } from './report.ts'
import { minimumOf } from './scenario.ts'
import { createTarget, inEnvironment } from './service.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 30_000

/** Kills the embedded PostgreSQL under load. */
export const postmaster = (options: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const { seed, short } = options
    const { auth, dataDir } = environment
    const { base, port, program } = await environment.serve({ WORKER: 'off' })
    const target = await createTarget(base, auth)
    const load = startLoad([base], { auth, target, seed, minimum: minimumOf(options) })
    const folder = path.join(dataDir, 'postgres')
    const times = short ? 1 : 3
    const recoveries: number[] = []
    const problems: string[] = []
    while (recoveries.length < times && problems.length === 0) {
      await pause(short ? 500 : 2_000)
      const from = performance.now()
      process.kill(readLock(folder)!.pid, 'SIGKILL')
      recoveries.push(await load.recovered(from, performance.now() + 100, RECOVERY_LIMIT_MS))
      if (recoveries.at(-1) === Number.POSITIVE_INFINITY) problems.push('down until the server is restarted')
    }
    if (problems.length) {
      await program.end('SIGKILL')
      await environment.serve({ WORKER: 'off' }, port)
    }
    await load.stop()
    const password = readFileSync(`${folder}.password`, 'utf8')
    const databaseUrl = address(readLock(folder)!.port, password, 'canvass')
    const audited = await audit(load, { base, auth, target, databaseUrl })
    const recoveryMs = Math.max(...recoveries)
    return [
      resultOf(`embedded PostgreSQL killed ×${recoveries.length}`, load, audited, { recoveryMs, problems, options }),
    ]
  })
