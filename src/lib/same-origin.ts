import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns whether a request comes from a page of this service (Fetch Metadata; the Origin header of Fetch, 3.2). Programs send
 * neither header, and a web page cannot use their credentials.
 * @param hosts of this service, with their ports
 */
export function isSameOrigin(headers: IncomingHttpHeaders, hosts: readonly string[]): boolean {
  const site = headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (!origin) return true
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}
