import { setTimeout as pause } from 'node:timers/promises'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 60_000

/**
 * Kills servers under load: first a server that runs alone, then each of three servers in turn. Starts each killed
 * server again on the same port.
 */
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
      // If there are other servers, they take over. A server that runs alone recovers only after it has been started
      // again.
      const recovery = count > 1 ? load.recovered(from, performance.now(), RECOVERY_LIMIT_MS) : undefined
      server.program = (await serve(settings, server.port)).program
      recoveries.push(await (recovery ?? load.recovered(from, performance.now(), RECOVERY_LIMIT_MS)))
      await pause(options.short ? 200 : 1_000)
    }
    return { fault: `${count === 1 ? 'server' : `each of ${count} servers`} killed ×${times}`, recoveries }
  })
