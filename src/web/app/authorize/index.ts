import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { handlePage, type PageServices } from '../../page.ts'
import { denyFraming, signedIn } from '../../session.ts'
import { refusalOf, sendConsent, showConsent } from './consent.ts'

const PATH = '/accounts/developer/authorize/'

/** The page on which somebody lets an application in. */
export function routeConsent(router: Router, deps: PageServices): void {
  const { authorization } = deps
  const render = signedIn(deps, 'showConsent', 'account', showConsent(authorization))
  router.get(PATH, askFirst(deps, render as unknown as Middleware))
  router.post(PATH, signedIn(deps, 'sendConsent', 'account', sendConsent(authorization)))
}

/**
 * Nobody has to sign in for a request of an application that is unknown. Whatever leads to an application comes after signing in: a link
 * to us must not take strangers to any address that an account has registered (RFC 9700, 4.11.2).
 */
function askFirst(deps: PageServices, next: Middleware): Middleware {
  return async (ctx, after) => {
    const context = { em: deps.fork(), now: deps.clock(), services: deps.services }
    const considered = await deps.authorization
      .consider(context, new URLSearchParams(ctx.querystring))
      .catch((error: unknown) => ({ error }))
    if ('asked' in considered || 'redirect' in considered) return next(ctx, after)
    return handlePage(deps, 'authorize', async (request) => {
      denyFraming(request)
      if ('error' in considered) throw considered.error
      return refusalOf(considered)
    })(ctx as Parameters<ReturnType<typeof handlePage>>[0])
  }
}
