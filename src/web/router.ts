import Router from '@koa/router'
import type { Middleware } from 'koa'
import { administrationRoutes } from './administration-routes.ts'
import { administrationPage } from './app/administration/frame.ts'
import { surveyPage } from './app/surveys/survey-page.ts'
import { serveAssets } from './assets.ts'
import { notFound } from './errors/not-found.ts'
import { handlePage, type Page, type PageServices } from './page.ts'
import { accountRoutes, type Method, publicRoutes, respondentRoutes } from './routes.ts'
import { signedIn } from './session.ts'
import { surveyRoutes, webhookRoutes } from './survey-routes.ts'

const ACCOUNT_WEBHOOKS = '/account/webhooks/'

/** Creates the middleware that serves all pages. For an address without a page, it serves an error page. */
export function createPages(deps: PageServices): Middleware[] {
  const router = new Router()
  // Respondents do not wait until their addresses are compared with those of all other pages.
  const ofRespondents = new Router()
  const add = (method: Method, path: string, { name }: { name: string }, page: Page) =>
    router[method === 'GET' ? 'get' : 'post'](path, handlePage(deps, name, page))
  router.get('/', (ctx) => ctx.redirect('/account/surveys/'))
  for (const [method, path, page] of respondentRoutes) {
    const handle = handlePage(deps, page.name, page, 'high')
    for (const each of [ofRespondents, router]) each[method === 'GET' ? 'get' : 'post'](path, handle)
  }
  for (const [method, path, page] of publicRoutes) add(method, path, page, page)
  for (const [method, path, section, page, limits] of accountRoutes)
    add(method, path, page, signedIn(section, page, limits))
  for (const [method, path, part, page, limits] of administrationRoutes)
    add(method, path, page, signedIn('administration', administrationPage(part, page), limits))
  for (const [method, path, tab, page, limits] of surveyRoutes)
    add(method, path, page, signedIn('surveys', surveyPage(tab, page), limits))
  for (const [method, path, page] of webhookRoutes) {
    add(
      method,
      ACCOUNT_WEBHOOKS + path,
      page,
      signedIn('webhooks', (request) => page(request, { path: ACCOUNT_WEBHOOKS })),
    )
    const ofSurvey = surveyPage('webhooks', (request) =>
      page(request, { path: `${request.root}webhooks/`, survey: request.survey }),
    )
    add(method, `/account/surveys/:id/webhooks/${path}`, page, signedIn('surveys', ofSurvey))
  }
  const [first, others] = [ofRespondents, router].map((each) => each.routes() as unknown as Middleware)
  return [serveAssets, first!, others!, redirectToSlash(router), notFound(router, deps)]
}

/** Redirects an address that lacks the final slash to the address with the slash. Keeps the query. */
const redirectToSlash =
  (router: Router): Middleware =>
  async (ctx, next) => {
    const isRead = (ctx.method === 'GET' || ctx.method === 'HEAD') && !ctx.path.endsWith('/')
    const path = isRead ? encodePath(ctx.path) : undefined
    if (path === undefined || !router.match(`${ctx.path}/`, ctx.method).route) return next()
    ctx.status = 308
    ctx.redirect(`${path.replace(/^\/+/, '/')}/${ctx.search}`)
  }

/**
 * Returns a path in which all necessary characters are percent-encoded; undefined if the percent-encoded bytes are not
 * UTF-8.
 */
function encodePath(path: string): string | undefined {
  try {
    return encodeURI(decodeURI(path))
  } catch {
    return undefined
  }
}
