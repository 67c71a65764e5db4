import Router from '@koa/router'
import type { Middleware } from 'koa'
import { routeAccount } from './app/account/index.ts'
import { routeDeveloper } from './app/applications/index.ts'
import { routeConsent } from './app/authorize/index.ts'
import { routeContacts } from './app/contacts/index.ts'
import { routeGroups } from './app/groups/index.ts'
import { routeSurvey } from './app/surveys/index.ts'
import { routeWebhooks } from './app/webhooks/index.ts'
import { serveAssets } from './assets.ts'
import { routeOutbox } from './dev-mailbox.ts'
import { notFound } from './errors/not-found.ts'
import type { PageServices } from './page.ts'
import { routeShared } from './public-report/show.ts'
import { routeTaking } from './respondent/index.ts'
import { routeUnsubscribe } from './respondent/unsubscribe.ts'

/** Everything that people look at rather than programs; to them also what is no page of ours is a page. */
export function createPages(deps: PageServices): Middleware[] {
  const router = new Router()
  routeTaking(router, deps)
  routeAccount(router, deps)
  routeConsent(router, deps)
  routeDeveloper(router, deps)
  routeSurvey(router, deps)
  routeShared(router, deps)
  routeContacts(router, deps)
  routeGroups(router, deps)
  routeWebhooks(router, deps)
  routeUnsubscribe(router, deps)
  routeOutbox(router, deps)
  return [serveAssets, router.routes() as unknown as Middleware, addSlash(router), notFound(router, deps)]
}

/** Our addresses end with a slash; who leaves it out is led there, with the query kept. */
const addSlash =
  (router: Router): Middleware =>
  async (ctx, next) => {
    const asks = (ctx.method === 'GET' || ctx.method === 'HEAD') && !ctx.path.endsWith('/')
    const path = asks ? rewritten(ctx.path) : undefined
    if (path === undefined || !router.match(`${ctx.path}/`, ctx.method).route) return next()
    ctx.status = 308
    ctx.redirect(`${path.replace(/^\/+/, '/')}/${ctx.search}`)
  }

/** A path with everything escaped that has to be; undefined: it has escapes that stand for no text. */
function rewritten(path: string): string | undefined {
  try {
    return encodeURI(decodeURI(path))
  } catch {
    return undefined
  }
}
