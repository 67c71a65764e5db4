import type { Context as Koa } from 'koa'
import type { Services } from '../domain/services.ts'

/** The lifetimes of the cookies, in milliseconds. */
const LIFETIME_MS = {
  session: 14 * 86_400_000,
  device: 400 * 86_400_000,
  flash: 60_000,
  reports: 14 * 86_400_000,
} as const
type Name = keyof typeof LIFETIME_MS

const isSecure = ({ baseUrl }: Services) => baseUrl.startsWith('https:')
/**
 * Returns the name of a cookie with the path `/`. If the site uses HTTPS, the name begins with `__Host-`, so that browsers accept the
 * cookie only from this host and only for the whole site (RFC 6265bis, 4.1.3.2).
 */
export const nameOf = (services: Services, name: string): string => (isSecure(services) ? `__Host-${name}` : name)

export const readCookie = (ctx: Koa, services: Services, name: Name): string | undefined =>
  ctx.cookies.get(nameOf(services, name))

/** Sets a cookie. Deletes the cookie if the value is undefined. */
export function setCookie(ctx: Koa, services: Services, name: Name, value: string | undefined): void {
  const secure = isSecure(services)
  // A proxy may terminate TLS. Therefore the scheme of the base URL, not of this connection, states whether the browser
  // uses HTTPS.
  ctx.cookies.secure = secure
  ctx.cookies.set(nameOf(services, name), value ?? null, {
    httpOnly: true,
    path: '/',
    sameSite: 'lax',
    secure,
    overwrite: true,
    ...(value !== undefined && { maxAge: LIFETIME_MS[name] }),
  })
}
