import type { Config } from '../config.ts'
import { createLog, type Log } from '../lib/log.ts'
import { NO_TRACING, openTracing, type Tracing } from '../lib/tracing.ts'

/** Creates the log, whose lines name the current span, and starts to record traces if the environment asks for it. */
export async function openObservation(
  config: Pick<Config, 'logLevel' | 'tracing'>,
): Promise<{ log: Log; tracing: Tracing }> {
  if (!config.tracing) return { log: createLog(config.logLevel), tracing: NO_TRACING }
  let tracing = NO_TRACING
  const log = createLog(config.logLevel, () => tracing.logFields())
  tracing = await openTracing(config.tracing, log)
  return { log, tracing }
}
