import { setTimeout as pause } from 'node:timers/promises'
import { type FlakyProxy, startProxy } from './proxy.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 60_000

/**
 * Interrupts the network between a server and PostgreSQL under load: resets all connections, or drops all data for some
 * time.
 */
export const network = async (options: Options): Promise<Result[]> => [
  await cutNetwork(options, 'connections to PostgreSQL reset', async (proxy) => proxy.reset()),
  await cutNetwork(options, 'network to PostgreSQL silent for 5 s', async (proxy) => {
    const restore = proxy.cut()
    await pause(options.short ? 2_000 : 5_000)
    restore()
  }),
]

async function cutNetwork(options: Options, fault: string, cut: (proxy: FlakyProxy) => Promise<void>): Promise<Result> {
  let proxy: FlakyProxy | undefined
  const setup = {
    databaseUrl: async ({ port, url }: { port: number; url: string }) => {
      proxy = await startProxy(port)
      return Object.assign(new URL(url), { port: String(proxy.port) }).href
    },
  }
  return runUnderLoad(options, setup, async ({ load, onCleanup }) => {
    onCleanup(proxy!.close)
    const recoveries: number[] = []
    const times = options.short ? 1 : 3
    while (recoveries.length < times && recoveries.at(-1) !== Number.POSITIVE_INFINITY) {
      await cut(proxy!)
      recoveries.push(await load.resumed(performance.now(), RECOVERY_LIMIT_MS))
      await pause(options.short ? 200 : 1_500)
    }
    return { fault: `${fault} ×${recoveries.length}`, recoveries }
  })
}
