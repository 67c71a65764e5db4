import type { Context as Koa } from 'koa'
import type { Services } from '../domain/services.ts'
import { basePathOf } from '../lib/base-path.ts'

/** The lifetimes of the cookies, in milliseconds. */
const LIFETIME_MS = {
  session: 14 * 86_400_000,
  device: 400 * 86_400_000,
  flash: 60_000,
  reports: 14 * 86_400_000,
  /** A sign-in at an OpenID provider that has begun, or waits for a password. */
  sign_in: 600_000,
  /** A challenge that a passkey has to sign. */
  passkey: 300_000,
} as const
type Name = keyof typeof LIFETIME_MS

const isSecure = ({ baseUrl }: Services) => baseUrl.startsWith('https:')

/** Returns the path of a cookie for the whole service. */
export const cookiePath = ({ baseUrl }: Services): string => `${basePathOf(baseUrl)}/`

/**
 * Returns the name of a cookie for the whole service. If the site uses HTTPS, the name begins with `__Host-`, so that
 * browsers accept the cookie only from this host and only for the whole host (RFC 6265bis, 4.1.3.2), or with
 * `__Secure-` if the service has only a path of the host.
 */
export function nameOf(services: Services, name: string): string {
  if (!isSecure(services)) return name
  return `${cookiePath(services) === '/' ? '__Host-' : '__Secure-'}${name}`
}

/**
 * Sets a cookie of a respondent, which also works in a survey that is embedded in another site: as a third-party
 * cookie, which browsers send only over HTTPS. Browsers that block third-party cookies accept one for each site that
 * embeds the survey (CHIPS).
 * @param value null deletes the cookie
 * @param maxAge in milliseconds; absent: until the browser is closed
 */
export function setEmbeddedCookie(
  ctx: Koa,
  services: Services,
  name: string,
  value: string | null,
  maxAge?: number,
): void {
  const secure = prepareSecure(ctx, services)
  ctx.cookies.set(name, value, {
    httpOnly: true,
    path: cookiePath(services),
    sameSite: secure ? 'none' : 'lax',
    partitioned: secure,
    secure,
    overwrite: true,
    ...(maxAge !== undefined && { maxAge }),
  })
}

/** Returns whether cookies are for HTTPS only, and lets Koa set such a cookie. */
function prepareSecure(ctx: Koa, services: Services): boolean {
  // A proxy may terminate TLS. Therefore the scheme of the base URL, not of this connection, states whether the browser
  // uses HTTPS.
  ctx.cookies.secure = isSecure(services)
  return ctx.cookies.secure
}

export const readCookie = (ctx: Koa, services: Services, name: Name): string | undefined =>
  ctx.cookies.get(nameOf(services, name))

/** Sets a cookie. Deletes the cookie if the value is undefined. */
export function setCookie(ctx: Koa, services: Services, name: Name, value: string | undefined): void {
  const secure = prepareSecure(ctx, services)
  ctx.cookies.set(nameOf(services, name), value ?? null, {
    httpOnly: true,
    path: cookiePath(services),
    sameSite: 'lax',
    secure,
    overwrite: true,
    ...(value !== undefined && { maxAge: LIFETIME_MS[name] }),
  })
}
