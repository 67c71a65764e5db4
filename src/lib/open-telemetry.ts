import {
  type Context,
  context,
  type DiagLogger,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { startNodeSdk } from '@opentelemetry/sdk-node'
import { LRUCache } from 'lru-cache'
import type { Log } from './log.ts'
import { PROGRAM_VERSION } from './program-version.ts'
import type { Span, SpanAttributes, SpanIds, SpanOptions, Tracing } from './tracing.ts'

/** The value of the header `traceparent` (W3C Trace Context, section 3.2). */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** Interval after which the log repeats an error of the SDK, such as an unreachable receiver. */
const REPEAT_MS = 60_000

/**
 * Starts the OpenTelemetry SDK. The standard variables configure receiver, sampling and limits. Logs and metrics are
 * not sent: the log is written to standard output, and Prometheus reads `/metrics`.
 */
export function startOpenTelemetry(env: NodeJS.ProcessEnv, log: Log): Tracing {
  const hasName = env.OTEL_SERVICE_NAME || /(^|,)\s*service\.name\s*=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? '')
  const sdk = startNodeSdk({
    resourceAttributes: { ...(!hasName && { 'service.name': 'canvass' }), 'service.version': PROGRAM_VERSION },
    metricReaders: [],
    logRecordProcessors: [],
  })
  diag.setLogger(diagnosticsTo(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const tracer = trace.getTracer('canvass', PROGRAM_VERSION)

  function start(name: string, { kind = 'internal', parent, links = [], attributes = {} }: SpanOptions): SdkSpan {
    const options = { kind: KINDS[kind], links: linksTo(links), attributes: defined(attributes) }
    return tracer.startSpan(name, options, parentContext(parent))
  }

  async function runIn<Result>(span: SdkSpan, work: (span: Span) => Promise<Result>): Promise<Result> {
    const wrapped = wrap(span)
    try {
      return await wrapped.within(() => work(wrapped))
    } catch (error) {
      recordError(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  return {
    isEnabled: true,
    start: (name, options) => wrap(start(name, options)),
    run: (name, options, work) => runIn(start(name, options), work),
    runBatch(name, traceparents, attributes, work) {
      const recorded = traceparents.filter((text) => isRecorded(text))
      if (!recorded.length) return context.with(ROOT_CONTEXT, work)
      return runIn(start(name, { parent: recorded[0]!, links: recorded, attributes }), work)
    },
    startStatement(text) {
      if (!trace.getActiveSpan()?.isRecording()) return undefined
      const query = text()
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': query }
      const span = start(/\w+/.exec(query)?.[0].toUpperCase() ?? 'STATEMENT', { kind: 'client', attributes })
      return (error) => {
        if (error) recordError(span, error)
        span.end()
      }
    },
    traceparent() {
      const current = trace.getActiveSpan()?.spanContext()
      return current && traceparentOf(current)
    },
    headers() {
      const headers: Record<string, string> = {}
      propagation.inject(context.active(), headers)
      return headers
    },
    logFields() {
      const current = trace.getActiveSpan()?.spanContext()
      return current && idsOf(current)
    },
    close: () => sdk.shutdown(),
  }
}

function wrap(span: SdkSpan): Span {
  return {
    ids: idsOf(span.spanContext()),
    within: (work) => context.with(trace.setSpan(context.active(), span), work),
    set: (attributes) => span.setAttributes(defined(attributes)),
    fail: (message) => span.setStatus({ code: SpanStatusCode.ERROR, message }),
    end(name) {
      if (name) span.updateName(name)
      span.end()
    },
  }
}

/** Records an error by its code or class: its message can contain personal data. */
function recordError(span: SdkSpan, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: string }
  span.setAttribute('error.type', typeof code === 'string' ? code : (name ?? 'Error'))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function parentContext(parent: SpanOptions['parent']): Context {
  if (parent === undefined) return context.active()
  if (parent === null) return ROOT_CONTEXT
  if (typeof parent !== 'string') return propagation.extract(ROOT_CONTEXT, parent)
  const spanContext = parse(parent)
  return spanContext ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT
}

function parse(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  return traceId && spanId && flags
    ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
    : undefined
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

const idsOf = ({ traceId, spanId }: SpanContext): SpanIds => ({ trace_id: traceId, span_id: spanId })

function isRecorded(traceparent: string | undefined): traceparent is string {
  const { traceFlags = 0 } = (traceparent && parse(traceparent)) || {}
  return (traceFlags & TraceFlags.SAMPLED) !== 0
}

const linksTo = (traceparents: readonly (string | undefined)[]) =>
  traceparents.flatMap((text) => {
    const spanContext = text ? parse(text) : undefined
    return spanContext ? [{ context: spanContext }] : []
  })

const defined = (attributes: SpanAttributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

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
