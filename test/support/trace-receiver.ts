import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'

/** A span, as a receiver of OTLP reads it from a request. */
export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  /** An empty text if the span has no parent. */
  parentSpanId: string
  links: readonly { traceId: string; spanId: string }[]
  attributes: Readonly<Record<string, unknown>>
  /** The name of the service that sent the span. */
  service: unknown
  /** The path and the header fields of the request that contained the span. */
  path: string
  apiKey: string | undefined
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Starts a receiver of traces (OTLP over HTTP with JSON). Call it at the top of a test file. */
export function useTraceReceiver(): { url(): string; spans(): readonly ReceivedSpan[] } {
  const spans: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Export
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          parentSpanId: span.parentSpanId ?? '',
          links: span.links ?? [],
          attributes: valuesOf(span.attributes),
          service: valuesOf(resource.attributes)['service.name'],
          path: request.url!,
          apiKey: request.headers['x-api-key'] as string | undefined,
        })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans: () => spans }
}
