import type { IncomingHttpHeaders } from 'node:http'
import type { Log } from './log.ts'

/** Attributes of a span; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** The fields of log lines that name the current span. */
export interface SpanIds {
  trace_id: string
  span_id: string
}

/** One operation of a trace. */
export interface Span {
  /** Undefined if nothing is traced. */
  ids: SpanIds | undefined
  /** Runs work whose spans become children of this span. */
  within<Result>(work: () => Result): Result
  set(attributes: SpanAttributes): void
  /** Marks the operation as failed. */
  fail(reason: string): void
  /** @param name replaces the name of the span */
  end(name?: string): void
}

export interface SpanOptions {
  kind?: 'server' | 'client' | 'consumer' | 'internal'
  /**
   * The parent, as `traceparent` or in the headers of a request. null: the span begins a new trace. Absent: the current
   * span is the parent.
   */
  parent?: string | IncomingHttpHeaders | null
  /** The spans that caused this span, as `traceparent`. */
  links?: readonly (string | undefined)[]
  attributes?: SpanAttributes
}

/** Records traces (OpenTelemetry). Our code records the spans, because instrumentations would send values of statements. */
export interface Tracing {
  readonly isEnabled: boolean
  /** Starts a span. The caller ends it. */
  start(name: string, options: SpanOptions): Span
  /** Runs work in a span that ends when the work ends. An error of the work is recorded. */
  run<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>
  /**
   * Runs work for several requests in one span with links to all of them. The span belongs to the trace of the first
   * request that is recorded; if none is, nothing is recorded.
   * @param traceparents the spans of the requests
   */
  runBatch<Result>(
    name: string,
    traceparents: readonly (string | undefined)[],
    attributes: SpanAttributes,
    work: () => Promise<Result>,
  ): Promise<Result>
  /**
   * Starts the span of a database statement within the current span.
   * @param text returns the statement without values
   * @returns the function that ends it; undefined if there is no current span that is recorded
   */
  startStatement(text: () => string): ((error?: unknown) => void) | undefined
  /** Returns the current span as `traceparent` (W3C Trace Context); undefined without a span. */
  traceparent(): string | undefined
  /** Returns the headers with which a request continues the current trace. */
  headers(): Record<string, string>
  /** Returns the fields of log lines that name the current span. */
  logFields(): SpanIds | undefined
  /** Sends the remaining spans. */
  close(): Promise<void>
}

const NO_SPAN: Span = {
  ids: undefined,
  within: (work) => work(),
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
}

/** Records nothing. */
export const NO_TRACING: Tracing = {
  isEnabled: false,
  start: () => NO_SPAN,
  run: (_name, _options, work) => work(NO_SPAN),
  runBatch: (_name, _traceparents, _attributes, work) => work(),
  startStatement: () => undefined,
  traceparent: () => undefined,
  headers: () => ({}),
  logFields: () => undefined,
  close: async () => undefined,
}

/** Returns whether the standard variables of OpenTelemetry ask for traces. */
export const isTracingEnabled = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  env.OTEL_TRACES_EXPORTER !== 'none' &&
  Boolean(env.OTEL_TRACES_EXPORTER || env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)

/**
 * Starts to record traces. Loads the SDK.
 * @param env the standard variables of OpenTelemetry
 * @param log receives the errors of the SDK
 */
export async function openTracing(env: NodeJS.ProcessEnv, log: Log): Promise<Tracing> {
  const { startOpenTelemetry } = await import('./open-telemetry.ts')
  return startOpenTelemetry(env, log)
}
