import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { html } from '../../lib/html.ts'
import { sectionAt, shellPage } from '../layout/app-shell.ts'
import { handlePage, type PageRequest, type PageServices } from '../page.ts'
import { csrfOf, denyFraming, sessionIn } from '../session.ts'
import { errorPage, errorView, NOTHING, unfit } from './error-page.ts'

/** Where programs ask: they get what the interface, or Koa, says. */
const isPrograms = (path: string): boolean => /^\/(api|assets)\//.test(path)

/** What is left when nothing of ours answered: a page that says so, around it what those who are signed in know. */
export function notFound(router: Router, deps: PageServices): Middleware {
  const page = handlePage(deps, 'nowhere', (request) => answer(request, router))
  return (ctx, next) =>
    isPrograms(ctx.path) || !ctx.accepts('html') ? next() : page(Object.assign(ctx, { params: {} }))
}

async function answer(request: PageRequest, router: Router) {
  const { ctx, context } = request
  const allowed = new Set(router.match(ctx.path, ctx.method).path.flatMap(({ methods }) => methods))
  const status = allowed.size > 0 ? 405 : 404
  if (status === 405) ctx.set('Allow', [...allowed].join(', '))
  const refusal = status === 405 ? unfit(ctx.method) : NOTHING
  const known = /^\/accounts?\//.test(ctx.path) ? await sessionIn(request) : undefined
  if (!known) return { status, page: errorPage(ctx, status, refusal) }
  denyFraming(request)
  const section = sectionAt(ctx.path)
  const way = { path: section.path, label: `Your ${section.own}` }
  const content = html`<section class="card">${errorView({ ...refusal, way })}</section>`
  const { title } = refusal
  return { status, page: shellPage({ title, section: section.name, csrf: csrfOf(context, known.token), content }) }
}
