import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns whether a request was sent from a page of ours, as far as its sender tells (Fetch Metadata; the Origin header of
 * Fetch, 3.2). Programs send neither header, and they carry no credentials that somebody else could use.
 * @param hosts under which we are reached, with their ports
 */
export function isSameOrigin(headers: IncomingHttpHeaders, hosts: readonly string[]): boolean {
  const site = headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (!origin) return true
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}
