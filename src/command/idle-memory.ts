import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often the process checks whether it is idle, in milliseconds. */
const CHECK_MS = 5_000
/** The share of the time in which an idle process works. */
const MAX_IDLE_UTILIZATION = 0.05

/**
 * Makes V8 return memory to the system when the process becomes idle: after the start, and after a load. V8 does so by
 * itself, in small steps, if the process allocates little. But it measures that only when it collects garbage, and an
 * idle process fills its new space of up to 64 MB for many minutes before. Therefore this function collects the garbage
 * of the new space once (about a millisecond), 5 to 10 seconds after the last work.
 */
export function releaseMemoryWhenIdle(): void {
  let last = performance.eventLoopUtilization()
  let hasWorked = true
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const isBusy = performance.eventLoopUtilization(now, last).utilization > MAX_IDLE_UTILIZATION
    last = now
    if (!isBusy && hasWorked) collectNewGarbage()
    hasWorked = isBusy
  }, CHECK_MS).unref()
}

function collectNewGarbage(): void {
  // Node.js has no other access to the collector than this flag. It is set only while the function is created.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'minor' })
}
