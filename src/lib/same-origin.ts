import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns whether a request comes from a page of this service: by `Sec-Fetch-Site` (Fetch Metadata), or else by `Origin` (Fetch,
 * 3.2). Also returns true if both headers are missing: then the request comes from a program, whose credentials no web page can use.
 * @param hosts the hosts of this service, with their ports
 */
export function isSameOrigin(headers: IncomingHttpHeaders, hosts: readonly string[]): boolean {
  const site = headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (!origin) return true
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}
