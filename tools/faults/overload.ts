import { setTimeout as pause } from 'node:timers/promises'
import { send } from './http.ts'
import { startLoad } from './load.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'

/**
 * The number of clients at which the server stores the most responses. It is also the maximum number of requests that
 * the server processes at the same time.
 */
const CLIENTS = 64
/**
 * Maximum time until `/healthz` replies, in milliseconds. It is long, because the clients run on the same processors as
 * the server.
 */
const HEALTH_LIMIT_MS = 5_000
const POLL_MS = 100

/**
 * Submits responses from four times as many clients as the server processes requests at the same time, while other
 * clients read lists.
 */
export const overload = async (options: Options): Promise<Result[]> => [
  await runUnderLoad(
    options,
    { clients: CLIENTS, pauseMs: 0, settings: { CONCURRENT_REQUESTS: String(CLIENTS) } },
    async ({ load, servers, target, auth }) => {
      const base = servers[0]!.base
      const durationMs = options.short ? 2_000 : 10_000
      const from = performance.now()
      const more = startLoad([base], {
        ...{ auth, target, seed: options.seed + 1_000_000, clients: 3 * CLIENTS, pauseMs: 0 },
      })
      const end = performance.now() + durationMs
      const list = `${base}/api/v3/surveys/${target.id}/responses/?page_size=100`
      const readers = Array.from({ length: CLIENTS }, async () => {
        while (performance.now() < end) {
          const { status } = await send(list, { auth })
          if (status !== 200) await pause(500)
        }
      })
      const problems: string[] = []
      let longest = 0
      for (; performance.now() < end; await pause(POLL_MS)) {
        const start = performance.now()
        const { status } = await send(`${base}/healthz`)
        longest = Math.max(longest, performance.now() - start)
        if (status !== 200) problems.push(`/healthz: ${status}`)
      }
      if (longest > HEALTH_LIMIT_MS) problems.push(`/healthz took ${Math.round(longest)} ms`)
      await Promise.all(readers)
      await more.stop()
      const { rejected } = more
      for (const [marker, response] of more.written) load.written.set(marker, response)
      for (const at of more.acknowledgements) load.acknowledgements.push(at)
      load.acknowledgements.sort((a, b) => a - b)
      load.unknown += more.unknown
      load.rejected += rejected
      load.unexpected.push(...more.unexpected)
      if (load.rejected === 0) problems.push('no request was rejected')
      return {
        fault: `4 × overload (${4 * CLIENTS} clients, ${load.rejected} × 503, /healthz ≤ ${Math.round(longest)} ms)`,
        recoveries: [await load.recovered(from, performance.now(), 30_000)],
        problems,
      }
    },
  ),
]
