import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns whether a request comes from a page of this service. `Sec-Fetch-Site` (Fetch Metadata) shows this, or else
 * `Origin` (Fetch, 3.2). If both headers are missing, returns true: then the request comes from a program outside a
 * browser, whose credentials no web page can use.
 * @param hosts the hosts of this service, with their ports
 */
export function isSameOrigin(headers: IncomingHttpHeaders, hosts: readonly string[]): boolean {
  const site = headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (!origin) return true
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}
