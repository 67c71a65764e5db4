import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'

/** A website over TLS with a certificate that no browser trusts (`ignoreHTTPSErrors`). */
export interface TlsSite {
  readonly url: string
}

/**
 * Starts a website over TLS. Call it at the top of a test file.
 * @param host `localhost` and `127.0.0.1` are two sites for browsers
 */
export function useTlsSite(host: 'localhost' | '127.0.0.1', serve: RequestListener): TlsSite {
  let server: Server
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'canvass-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key, '-out', cert]
    execFileSync(
      'openssl',
      ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...subject],
      {
        stdio: 'ignore',
      },
    )
    server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, serve)
    rmSync(folder, { recursive: true })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    get url() {
      return `https://${host}:${(server.address() as AddressInfo).port}`
    },
  }
}
