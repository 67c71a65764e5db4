import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { PROGRAM_VERSION } from './program-version.ts'

/**
 * Records spans (OpenTelemetry). Until `open-telemetry.ts` has started the SDK, it records nothing. Our code records the
 * spans, because instrumentations would send values of statements.
 */
export const tracer = trace.getTracer('canvass', PROGRAM_VERSION)

/** The value of the header `traceparent` (W3C Trace Context, section 3.2). */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

function parse(traceparent: string | null | undefined): SpanContext | undefined {
  if (!traceparent) return undefined
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  return traceId && spanId && flags
    ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
    : undefined
}

/** Returns the current span as `traceparent`; undefined without a span. */
export function currentTraceparent(): string | undefined {
  const current = trace.getActiveSpan()?.spanContext()
  return current && `00-${current.traceId}-${current.spanId}-${current.traceFlags.toString(16).padStart(2, '0')}`
}

/** Returns the context whose spans become children of the span of a `traceparent`. */
export function contextOf(traceparent: string | null | undefined): Context {
  const spanContext = parse(traceparent)
  return spanContext ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT
}

/** Returns the links to the spans that caused a span. */
export const linksTo = (traceparents: readonly (string | undefined)[]) =>
  traceparents.flatMap((traceparent) => {
    const spanContext = parse(traceparent)
    return spanContext ? [{ context: spanContext }] : []
  })

/** The fields of log lines that name a span. */
export const spanFields = (span: Span | undefined): { trace_id: string; span_id: string } | undefined => {
  const spanContext = span?.spanContext()
  return spanContext && { trace_id: spanContext.traceId, span_id: spanContext.spanId }
}

/** Marks a span as failed. Records an error by its code or class: its message can contain personal data. */
export function recordError(span: Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: string }
  span.setAttribute('error.type', typeof code === 'string' ? code : (name ?? 'Error'))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Runs work in a span that ends when the work ends. Records an error of the work. */
export async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  parent: Context,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, options, parent)
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span))
  } catch (error) {
    recordError(span, error)
    throw error
  } finally {
    span.end()
  }
}

/**
 * Runs work for several requests in one span with links to all of them. The span belongs to the trace of the first
 * request that is recorded; if none is, nothing is recorded.
 * @param traceparents the spans of the requests
 */
export function inBatchSpan<Result>(
  name: string,
  traceparents: readonly (string | undefined)[],
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const recorded = traceparents.filter((text) => ((parse(text)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0)
  if (!recorded.length) return context.with(ROOT_CONTEXT, work)
  return inSpan(name, { links: linksTo(recorded), attributes }, contextOf(recorded[0]), work)
}
