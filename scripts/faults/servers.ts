import { setTimeout as pause } from 'node:timers/promises'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'

/** Maximum time until a server writes again; after that it counts as down. In milliseconds. */
const RECOVERY_LIMIT_MS = 60_000

/** Kills a single server, and then each of three servers in turn, under load; starts each again on its port. */
export const servers = async (options: Options): Promise<Result[]> => [
  await killInTurn(options, 1),
  await killInTurn(options, 3),
]

const killInTurn = (options: Options, count: number): Promise<Result> =>
  runUnderLoad(options, { servers: count, clients: 24 }, async ({ servers, serve, settings, load }) => {
    const recoveries: number[] = []
    const times = options.short ? 1 : 2 * count + 2
    for (let turn = 0; turn < times; turn += 1) {
      const server = servers[turn % count]!
      const from = performance.now()
      await server.program.end('SIGKILL')
      // Other servers take over; a single one recovers once it is started.
      const recovery = count > 1 ? load.recovered(from, performance.now(), RECOVERY_LIMIT_MS) : undefined
      server.program = (await serve(settings, server.port)).program
      recoveries.push(await (recovery ?? load.recovered(from, performance.now(), RECOVERY_LIMIT_MS)))
      await pause(options.short ? 200 : 1_000)
    }
    return { fault: `${count === 1 ? 'server' : `each of ${count} servers`} killed ×${times}`, recoveries }
  })
