import { connect } from 'node:net'
import type { InspectedConfig } from '../../config.ts'
import { type Findings, reasonOf } from './finding.ts'

const TIMEOUT_MS = 5_000

const CREDENTIALS = new Set([401, 403])

/** Checks that the receiver accepts traces: sends it an empty list or, with gRPC, only opens a connection. */
export async function checkTraces({ tracing: env }: InspectedConfig, found: Findings): Promise<void> {
  if (!env) return found.ok('receiver', 'nothing is traced (OTEL_EXPORTER_OTLP_ENDPOINT is not set)')
  if (env.OTEL_TRACES_EXPORTER && env.OTEL_TRACES_EXPORTER !== 'otlp')
    return found.ok('receiver', `traces go to ${env.OTEL_TRACES_EXPORTER} (OTEL_TRACES_EXPORTER)`)
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318'
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${base.replace(/\/+$/, '')}/v1/traces`
  const isGrpc = (env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL) === 'grpc'
  try {
    if (isGrpc) await openConnection(new URL(url))
    else if (!(await acceptsTraces(url, env, found))) return
    found.ok('receiver', `${new URL(url).host} accepts ${isGrpc ? 'connections' : 'traces'}`)
  } catch (error) {
    found.error(
      'receiver',
      `The receiver of traces does not answer at ${new URL(url).host}: ${reasonOf(error)}.`,
      'Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT. Port 4318 is usual for HTTP, port 4317 for OTEL_EXPORTER_OTLP_PROTOCOL=grpc.',
    )
  }
}

async function acceptsTraces(url: string, env: NodeJS.ProcessEnv, found: Findings): Promise<boolean> {
  const headers = { ...headersOf(env), 'content-type': 'application/json' }
  const body = JSON.stringify({ resourceSpans: [] })
  const { ok, status } = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (ok) return true
  const mend = CREDENTIALS.has(status)
    ? 'Set OTEL_EXPORTER_OTLP_HEADERS to the header fields that the receiver requires.'
    : 'Set OTEL_EXPORTER_OTLP_ENDPOINT to the base address for OTLP over HTTP, without /v1/traces.'
  found.error('receiver', `The receiver of traces replies with status ${status} to ${new URL(url).pathname}.`, mend)
  return false
}

/** Parses `name=value,name=value`. */
function headersOf({
  OTEL_EXPORTER_OTLP_TRACES_HEADERS,
  OTEL_EXPORTER_OTLP_HEADERS,
}: NodeJS.ProcessEnv): Record<string, string> {
  const fields = [OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS].flatMap(
    (text) => text?.split(',') ?? [],
  )
  return Object.fromEntries(
    fields.flatMap((field) => {
      const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(field) ?? []
      return name && value ? [[name, decodeURIComponent(value.trim())]] : []
    }),
  )
}

function openConnection({ hostname, port }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) || 4317, timeout: TIMEOUT_MS })
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${TIMEOUT_MS / 1000} seconds`)))
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}
