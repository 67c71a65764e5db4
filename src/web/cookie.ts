import type { Context as Koa } from 'koa'
import type { Services } from '../domain/services.ts'

/** The cookies of the signed-in pages, and for how long a browser keeps them, in milliseconds. */
const LIFE = { session: 14 * 86_400_000, device: 400 * 86_400_000, notice: 60_000, reports: 14 * 86_400_000 } as const
type Name = keyof typeof LIFE

const isSecure = ({ baseUrl }: Services) => baseUrl.startsWith('https:')
/** RFC 6265bis, 4.1.3.2: with this prefix no other host or path can set it. */
const nameOf = (services: Services, name: Name) => (isSecure(services) ? `__Host-${name}` : name)

export const readCookie = (ctx: Koa, services: Services, name: Name): string | undefined =>
  ctx.cookies.get(nameOf(services, name))

/** Sets one, or with undefined has it forgotten. */
export function setCookie(ctx: Koa, services: Services, name: Name, value: string | undefined): void {
  const secure = isSecure(services)
  // What is encrypted is the way to the browser, which may end at a proxy before us.
  ctx.cookies.secure = secure
  ctx.cookies.set(nameOf(services, name), value ?? null, {
    httpOnly: true,
    path: '/',
    sameSite: 'lax',
    secure,
    overwrite: true,
    ...(value !== undefined && { maxAge: LIFE[name] }),
  })
}
