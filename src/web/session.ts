import { timingSafeEqual } from 'node:crypto'
import { findSession, type Session } from '../domain/account/session.ts'
import type { Context, PublicContext } from '../domain/context.ts'
import { Problem } from '../domain/problem.ts'
import { html } from '../lib/html.ts'
import { digest } from '../lib/token.ts'
import { readCookie, setCookie } from './cookie.ts'
import { errorView } from './errors/error-page.ts'
import { type Section, type Shell, sectionOf, shellPage } from './layout/app-shell.ts'
import { handlePage, type PageRequest, type PageResult, type PageServices } from './page.ts'
import { type FormFields, one } from './respondent/input.ts'
import { isSameOrigin } from './same-origin.ts'

/** A request of somebody who is signed in. */
export interface SignedInRequest extends Omit<PageRequest, 'context' | 'form'> {
  /** For reading; {@link write} has one for writing. */
  context: Context
  session: Session
  csrf: string
  /** The fields of the form. */
  form: FormFields
  /** Does all in one transaction; what it refuses undoes everything. */
  write<Result>(run: (context: Context) => Promise<Result>): Promise<Result>
  /** The refusal behind an error of the database, or the error itself. */
  toProblem(error: unknown): unknown
  /** Tells on the next page what was done. */
  flash(notice: string): void
  /** A page with everything around it. */
  render(page: Pick<Shell, 'title' | 'content' | 'action' | 'above' | 'scripts'>, status?: number): PageResult
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Not in frames of others, and the name of the page goes nowhere else: its Origin header is what forms prove themselves with. */
export function denyFraming({ ctx }: Pick<PageRequest, 'ctx'>): void {
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('X-Frame-Options', 'DENY')
  ctx.set('Content-Security-Policy', `${ctx.response.get('Content-Security-Policy')};frame-ancestors 'none'`)
}

/** The secret of the forms of a session; whoever does not see its pages cannot know it. */
export const csrfOf = ({ services }: PublicContext, token: string): string =>
  digest(services.secretKey, `form ${token}`).toString('base64url')

function isOurs(given: string | undefined, right: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** What was done on the page before, told once. */
function noticeIn({ ctx, context }: PageRequest): string | undefined {
  const kept = readCookie(ctx, context.services, 'notice')
  if (kept !== undefined) setCookie(ctx, context.services, 'notice', undefined)
  return kept && Buffer.from(kept, 'base64url').toString('utf8').slice(0, 500)
}

/** Who is signed in, as far as the cookie of a visit tells. */
export async function sessionIn({
  ctx,
  context,
}: PageRequest): Promise<{ token: string; session: Session } | undefined> {
  const token = readCookie(ctx, context.services, 'session')
  const session = token ? await findSession(context, token) : undefined
  if (!token || !session) return undefined
  if (session.renewed) setCookie(ctx, context.services, 'session', token)
  return { token, session }
}

/** The page that the visitor came from, if it is one of ours and another one than this. */
function cameFrom({ ctx, context: { services } }: PageRequest): string | undefined {
  const given = ctx.get('referer')
  const { origin, pathname, search } = URL.canParse(given) ? new URL(given) : new URL('about:blank')
  if (origin !== new URL(services.baseUrl).origin) return undefined
  return ctx.method === 'GET' && pathname === ctx.path ? undefined : pathname + search
}

/**
 * The largest form of most pages, in bytes. The longest text on any of them is the message of an invitation: 100,000
 * characters, each written as nine in some scripts.
 */
const LARGEST = 1024 * 1024

/** The largest form with a file, a whole structure or texts in a hundred languages, in bytes: what the API takes as well. */
export const FILE = 10 * 1024 * 1024

/**
 * Serves a page for those who are signed in; others are asked to sign in and come back, whatever they send. A form
 * without the secret of the session, or from another site, is refused.
 * @param largest form that is read, in bytes
 */
export const signedIn = (
  deps: PageServices,
  operation: string,
  section: Section,
  page: (request: SignedInRequest) => Promise<PageResult>,
  largest = LARGEST,
) =>
  handlePage(deps, operation, async (request) => {
    denyFraming(request)
    const { ctx, context } = request
    const { services } = context
    const known = await sessionIn(request)
    if (!known) {
      const back = UNSAFE.has(ctx.method) ? '/account/' : ctx.path + ctx.search
      return { redirect: `/accounts/login/?next=${encodeURIComponent(back)}` }
    }
    const { token, session } = known
    const csrf = csrfOf(context, token)
    const acting: Context = { ...context, actor: session.actor }
    const render: SignedInRequest['render'] = (shown, status = 200) => {
      return { status, page: shellPage({ ...shown, section, csrf, notice: noticeIn(request) }) }
    }
    const refuse = (title: string, text: string, status: number) => {
      const back = cameFrom(request)
      const { path, own } = sectionOf(section)
      const way = back === undefined ? { path, label: `Your ${own}` } : { path: back, label: 'Back' }
      return render({ title, content: html`<section class="card">${errorView({ text, way })}</section>` }, status)
    }
    try {
      const form = UNSAFE.has(ctx.method) ? await request.form(largest, true) : {}
      if (UNSAFE.has(ctx.method) && !(isSameOrigin(ctx, services) && isOurs(one(form, '_csrf'), csrf)))
        return refuse(
          'This form is out of date',
          'Nothing was changed. Go back, load the page again, and send it once more.',
          403,
        )
      return await page({
        ...request,
        context: acting,
        session,
        csrf,
        form,
        render,
        toProblem: (error) => deps.translate(error) ?? error,
        write: (run) => deps.fork().transactional((em) => run({ ...acting, em })),
        flash: (notice) => setCookie(ctx, services, 'notice', Buffer.from(notice).toString('base64url')),
      })
    } catch (thrown) {
      const error = thrown instanceof Problem ? thrown : deps.translate(thrown)
      if (!error) throw thrown
      if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
      const [title, status] =
        'status' in error && error.status === 413
          ? (['That is too large', 413] as const)
          : (REFUSED[error.kind] ?? ['That did not work', 409])
      return refuse(title, error.message, status)
    }
  })

const REFUSED: { readonly [Kind in Problem['kind']]?: [title: string, status: number] } = {
  missing: ['Not found', 404],
  forbidden: ['Not allowed', 403],
  invalid: ['That did not work', 422],
  too_many: ['Try again later', 429],
  unavailable: ['Not now', 503],
}

/** A number in an address; what is none names nothing. */
export const idIn = (text: string | undefined): number => (/^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : 0)
