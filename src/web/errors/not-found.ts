import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { html } from '../../lib/html.ts'
import { denyFraming } from '../csp.ts'
import { csrfToken } from '../csrf.ts'
import { inLocale, useLocale } from '../i18n/page-locale.ts'
import { appPage, sectionAt } from '../layout/app-shell.ts'
import { handlePage, type PageRequest, type PageResult, type PageServices } from '../page.ts'
import { readSession } from '../session.ts'
import { errorPage, errorView, methodNotAllowed, NOT_FOUND } from './error-page.ts'

/** Returns whether a path is for programs. Programs get an error from the API or from Koa instead of an error page. */
const isProgramPath = (path: string): boolean => /^\/(api|assets)\//.test(path)

/**
 * Creates the middleware for all addresses that have no page, or no page for the method of the request. Below
 * `/account/` and `/accounts/`, signed-in users see the error page with the navigation of the application.
 */
export function notFound(router: Router, deps: PageServices): Middleware {
  const page = handlePage(deps, 'notFound', (request) => notFoundPage(request, router))
  return (ctx, next) =>
    isProgramPath(ctx.path) || !ctx.accepts('html') ? next() : page(Object.assign(ctx, { params: {} }))
}

async function notFoundPage(request: PageRequest, router: Router): Promise<PageResult> {
  const { ctx, context } = request
  const allowed = new Set(router.match(ctx.path, ctx.method).path.flatMap(({ methods }) => methods))
  const status = allowed.size > 0 ? 405 : 404
  if (status === 405) ctx.set('Allow', [...allowed].join(', '))
  const errorOf = () => (status === 405 ? methodNotAllowed(ctx.method) : NOT_FOUND())
  const signedIn = /^\/accounts?\//.test(ctx.path) ? await readSession(request) : undefined
  if (!signedIn) return { status, page: errorPage(ctx, status, errorOf()) }
  return inLocale(useLocale(ctx, signedIn.session.locale), () => {
    denyFraming(ctx)
    const error = errorOf()
    const { name, own, path } = sectionAt(ctx.path)
    const link = { path, label: own }
    const content = html`<section class="card">${errorView({ ...error, link })}</section>`
    return {
      status,
      page: appPage({
        title: error.title,
        section: name,
        path: ctx.path,
        csrf: csrfToken(context, signedIn.token),
        isAdministrator: signedIn.session.isAdministrator,
        accountId: signedIn.session.actor.id,
        content,
      }),
    }
  })
}
