import type { Context as Koa } from 'koa'
import type { Services } from '../domain/services.ts'
import * as sender from '../lib/same-origin.ts'

/** Whether a form was sent from a page of ours, as far as its sender tells. */
export const isSameOrigin = (ctx: Koa, { baseUrl }: Services): boolean =>
  sender.isSameOrigin(ctx.headers, [new URL(baseUrl).host, ctx.host])

/** A path of ours to go on to; anything else is the fallback, so that no address leads elsewhere by way of us. */
export function safePath(wanted: string | undefined, { baseUrl }: Services, fallback: string): string {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, baseUrl)) return fallback
  const url = new URL(wanted, baseUrl)
  // What is left of `/.//elsewhere` begins with two slashes: that would be a host.
  const isOurs = url.origin === new URL(baseUrl).origin && !url.pathname.startsWith('//')
  return isOurs ? url.pathname + url.search : fallback
}
