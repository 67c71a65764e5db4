import { timingSafeEqual } from 'node:crypto'
import type { Context as Koa } from 'koa'
import type { PublicContext } from '../domain/context.ts'
import type { Services } from '../domain/services.ts'
import { type Html, html } from '../lib/html.ts'
import * as headers from '../lib/network.ts'
import { digest } from '../lib/secrets.ts'
import { type FormFields, formValue } from './forms/form-fields.ts'

/** Returns the CSRF token of a session. Only pages of this session contain the token. */
export const csrfToken = ({ services }: PublicContext, sessionToken: string): string =>
  digest(services.secretKey, `form ${sessionToken}`).toString('base64url')

/** Renders the hidden field that every form of a signed-in page contains. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="_csrf" value="${csrf}">`

/** Returns whether a form was submitted from a page of this site and contains the CSRF token of its session. */
export function isOwnForm(ctx: Koa, services: Services, form: FormFields, csrf: string): boolean {
  const [submitted, expected] = [Buffer.from(formValue(form, '_csrf') ?? ''), Buffer.from(csrf)]
  return isSameOrigin(ctx, services) && submitted.length === expected.length && timingSafeEqual(submitted, expected)
}

/** Returns whether the headers of a request state that it comes from a page of this site. */
export const isSameOrigin = (ctx: Koa, { baseUrl }: Services): boolean =>
  headers.isSameOrigin(ctx.headers, [new URL(baseUrl).host, ctx.host])

/**
 * Returns the redirect target if it is a path of this site, otherwise the fallback. A link to this site therefore
 * cannot redirect users to another site.
 */
export function safePath(wanted: string | undefined, { baseUrl }: Services, fallback: string): string {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, baseUrl)) return fallback
  const url = new URL(wanted, baseUrl)
  // `/.//elsewhere` resolves to a path with two leading slashes, and browsers would read the text after them as a host
  // name.
  const isOwn = url.origin === new URL(baseUrl).origin && !url.pathname.startsWith('//')
  return isOwn ? url.pathname + url.search : fallback
}
