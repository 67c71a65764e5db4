import type { Context as Koa } from 'koa'

type Directive =
  | 'default-src'
  | 'object-src'
  | 'base-uri'
  | 'form-action'
  | 'img-src'
  | 'style-src'
  | 'frame-ancestors'
  | 'sandbox'

type Directives = Readonly<Partial<Record<Directive, readonly string[]>>>

/**
 * The default policy. Scripts and styles are loaded only from this server. Inline scripts and inline styles are not
 * allowed. The policy has no `frame-ancestors`, so that any site can embed survey pages.
 */
const DEFAULTS: Directives = {
  'default-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'img-src': ["'self'", 'data:', 'https:'],
}

/**
 * Returns the value of a Content-Security-Policy header (CSP3).
 * @param directives directives to add to the default policy; they replace default directives of the same name
 */
export const contentSecurityPolicy = (directives: Directives = {}): string =>
  Object.entries({ ...DEFAULTS, ...directives })
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join(';')

/**
 * Sets the policy of a reply.
 * @param directives as in {@link contentSecurityPolicy}
 */
export function setContentSecurityPolicy(ctx: Koa, directives: Directives): void {
  ctx.set('Content-Security-Policy', contentSecurityPolicy(directives))
}

/**
 * Prevents other sites from framing or loading the page and from receiving its address. The referrer policy is
 * `same-origin`, with which browsers still send the Origin header for forms of this site. `csrf.ts` checks this header.
 * @param directives the directives of the page's policy, as in {@link contentSecurityPolicy}
 */
export function denyFraming(ctx: Koa, directives: Directives = {}): void {
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('X-Frame-Options', 'DENY')
  ctx.set('Cross-Origin-Resource-Policy', 'same-origin')
  setContentSecurityPolicy(ctx, { ...directives, 'frame-ancestors': ["'none'"] })
}
