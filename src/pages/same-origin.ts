import type { Context as Koa } from 'koa'
import type { Site } from '../domain/site.ts'

/**
 * Whether a form was sent from a page of ours, as far as its sender tells (Fetch Metadata; the Origin header of Fetch,
 * 3.2). Programs tell neither, and they carry no cookies that somebody else could use.
 */
export function isSameOrigin(ctx: Koa, { baseUrl }: Site): boolean {
  const site = ctx.get('sec-fetch-site')
  if (site) return site === 'same-origin' || site === 'none'
  const origin = ctx.get('origin')
  if (!origin) return true
  return URL.canParse(origin) && [new URL(baseUrl).host, ctx.host].includes(new URL(origin).host)
}

/** A path of ours to go on to; anything else is the fallback, so that no address leads elsewhere by way of us. */
export function safePath(wanted: string | undefined, { baseUrl }: Site, fallback: string): string {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, baseUrl)) return fallback
  const url = new URL(wanted, baseUrl)
  // What is left of `/.//elsewhere` begins with two slashes: that would be a host.
  const isOurs = url.origin === new URL(baseUrl).origin && !url.pathname.startsWith('//')
  return isOurs ? url.pathname + url.search : fallback
}
