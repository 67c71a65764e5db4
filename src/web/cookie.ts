import type { Context as Koa } from 'koa'
import type { Site } from '../domain/services.ts'

/** The cookies of the signed-in pages, and for how long a browser keeps them, in milliseconds. */
const LIFE = { session: 14 * 86_400_000, device: 400 * 86_400_000, notice: 60_000, reports: 14 * 86_400_000 } as const
type Name = keyof typeof LIFE

const isSecure = ({ baseUrl }: Site) => baseUrl.startsWith('https:')
/** RFC 6265bis, 4.1.3.2: with this prefix no other host or path can set it. */
const nameOf = (site: Site, name: Name) => (isSecure(site) ? `__Host-${name}` : name)

export const readCookie = (ctx: Koa, site: Site, name: Name): string | undefined => ctx.cookies.get(nameOf(site, name))

/** Sets one, or with undefined has it forgotten. */
export function setCookie(ctx: Koa, site: Site, name: Name, value: string | undefined): void {
  const secure = isSecure(site)
  // What is encrypted is the way to the browser, which may end at a proxy before us.
  ctx.cookies.secure = secure
  ctx.cookies.set(nameOf(site, name), value ?? null, {
    httpOnly: true,
    path: '/',
    sameSite: 'lax',
    secure,
    overwrite: true,
    ...(value !== undefined && { maxAge: LIFE[name] }),
  })
}
