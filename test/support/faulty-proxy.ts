import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeAll } from '@jest/globals'

/** What the proxy does wrong. Without faults, it does what docs/proxies.md asks for. */
export interface ProxyFaults {
  /** The host that replaces that of the client. */
  host?: string
  /** The value of `X-Forwarded-For`; `client`: what the client has written. */
  forwardedFor?: string
  omitsProtocol?: boolean
  protocol?: string
  speaksOldHttp?: boolean
  /** Bytes of the largest body. */
  maxBody?: number
  decodesPaths?: boolean
  /** Replies from a cache to all requests but the first one. */
  caches?: boolean
  /** A path that the proxy removes from addresses. */
  removes?: string
}

export interface FaultyProxy {
  readonly url: string
  upstream: string
  faults: ProxyFaults
}

/** Starts a proxy before the tests of a file. After each test it has no faults. Call it at the top of the file. */
export function useFaultyProxy(): FaultyProxy {
  const server = createServer((request, response) => {
    const { faults } = proxy
    const { 'x-forwarded-for': written, connection: _, ...kept } = request.headers
    if (Number(kept['content-length'] ?? 0) > (faults.maxBody ?? Number.POSITIVE_INFINITY))
      return response.writeHead(413, { 'content-type': 'text/html', connection: 'close' }).end('too large')
    if (faults.caches) return response.writeHead(200, { age: '5' }).end('{"status":"ok"}')
    const added = [written, '198.51.100.7'].filter(Boolean).join(', ')
    const forwardedFor = faults.forwardedFor === 'client' ? written : (faults.forwardedFor ?? added)
    const headers = {
      ...kept,
      host: faults.host ?? kept.host,
      'x-forwarded-for': forwardedFor,
      'x-forwarded-proto': faults.omitsProtocol ? undefined : (faults.protocol ?? 'http'),
      connection: 'close',
    }
    const lines = Object.entries(headers).flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
    const path = request.url!.replace(faults.removes ?? '', '')
    const sent = faults.decodesPaths ? decodeURIComponent(path) : path
    const { port } = new URL(proxy.upstream)
    const upstream = connect(Number(port), '127.0.0.1')
    upstream.write(
      `${request.method} ${sent} HTTP/${faults.speaksOldHttp ? '1.0' : '1.1'}\r\n${lines.join('\r\n')}\r\n\r\n`,
    )
    request.pipe(upstream, { end: false })
    upstream.on('error', () => undefined).pipe(response.socket!)
  })
  const proxy: FaultyProxy = {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    upstream: '',
    faults: {},
  }
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterEach(() => {
    proxy.faults = {}
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return proxy
}
