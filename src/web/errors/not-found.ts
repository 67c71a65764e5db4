import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { html } from '../../lib/html.ts'
import { NOTHING, refusalPage, refusalView, unfit } from './error-page.ts'
import { sectionAt, shellPage } from '../layout/app-shell.ts'
import { csrfOf, guard, sessionIn } from '../session.ts'
import { type PageDeps, serve, type Visit } from '../page.ts'

/** Where programs ask: they get what the interface, or Koa, says. */
const isPrograms = (path: string): boolean => /^\/(api|assets)\//.test(path)

/** What is left when nothing of ours answered: a page that says so, around it what those who are signed in know. */
export function nowhere(router: Router, deps: PageDeps): Middleware {
  const page = serve(deps, 'nowhere', (visit) => answer(visit, router))
  return (ctx, next) =>
    isPrograms(ctx.path) || !ctx.accepts('html') ? next() : page(Object.assign(ctx, { params: {} }))
}

async function answer(visit: Visit, router: Router) {
  const { ctx, context } = visit
  const allowed = new Set(router.match(ctx.path, ctx.method).path.flatMap(({ methods }) => methods))
  const status = allowed.size > 0 ? 405 : 404
  if (status === 405) ctx.set('Allow', [...allowed].join(', '))
  const refusal = status === 405 ? unfit(ctx.method) : NOTHING
  const known = /^\/accounts?\//.test(ctx.path) ? await sessionIn(visit) : undefined
  if (!known) return { status, page: refusalPage(ctx, status, refusal) }
  guard(visit)
  const section = sectionAt(ctx.path)
  const way = { path: section.path, label: `Your ${section.own}` }
  const content = html`<section class="card">${refusalView({ ...refusal, way })}</section>`
  const { title } = refusal
  return { status, page: shellPage({ title, section: section.name, csrf: csrfOf(context, known.token), content }) }
}
