import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api'
import { startNodeSdk } from '@opentelemetry/sdk-node'
import { LRUCache } from 'lru-cache'
import type { Log } from './log.ts'
import { PROGRAM_VERSION } from './program-version.ts'

/** Interval after which the log repeats an error of the SDK, such as an unreachable receiver. */
const REPEAT_MS = 60_000

/**
 * Starts the OpenTelemetry SDK. The standard variables configure receiver, sampling and limits. Logs and metrics are
 * not sent: the log is written to standard output, and Prometheus reads `/metrics`.
 * @param log receives the errors of the SDK
 * @returns sends the remaining spans
 */
export function startOpenTelemetry(env: NodeJS.ProcessEnv, log: Log): () => Promise<void> {
  const hasName = env.OTEL_SERVICE_NAME || /(^|,)\s*service\.name\s*=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? '')
  const sdk = startNodeSdk({
    resourceAttributes: { ...(!hasName && { 'service.name': 'canvass' }), 'service.version': PROGRAM_VERSION },
    metricReaders: [],
    logRecordProcessors: [],
  })
  diag.setLogger(diagnosticsTo(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  return () => sdk.shutdown()
}

/** Returns a logger for the SDK that repeats the same message at most once a minute. */
function diagnosticsTo(log: Log): DiagLogger {
  const recent = new LRUCache<string, true>({ max: 100, ttl: REPEAT_MS })
  const report = (reason: string) => {
    if (recent.has(reason)) return
    recent.set(reason, true)
    log.warn({ reason: reason.slice(0, 500) }, 'could not send traces')
  }
  const ignore = () => undefined
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
}
