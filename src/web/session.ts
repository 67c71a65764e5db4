import { findSession, type Session } from '../domain/account/session.ts'
import type { Context } from '../domain/context.ts'
import { Problem } from '../domain/problem.ts'
import { basePathOf } from '../lib/base-path.ts'
import { html } from '../lib/html.ts'
import { canonicalTimeZone } from '../lib/time-zone.ts'
import { readCookie, setCookie } from './cookie.ts'
import { denyFraming } from './csp.ts'
import { csrfToken, isOwnForm } from './csrf.ts'
import { type ErrorPage, errorView, LinkedProblem } from './errors/error-page.ts'
import { ZONE_PARAMETER } from './forms/field.ts'
import { type FormFields, formValue } from './forms/form-fields.ts'
import { problemText } from './i18n/error-texts.ts'
import { inLocale, useLocale } from './i18n/page-locale.ts'
import { perLanguage, t } from './i18n/t.ts'
import {
  type AppPage,
  appPage,
  decodeFlash,
  encodeFlash,
  type Flash,
  type Section,
  sectionOf,
  type Undo,
} from './layout/app-shell.ts'
import type { Page, PageRequest, PageResult } from './page.ts'

/** A request of a signed-in user. */
export interface SignedInRequest extends Omit<PageRequest, 'context' | 'form'> {
  /** A domain context for reading. For writing, {@link write} passes another context to its function. */
  context: Context
  session: Session
  csrf: string
  /** The fields of the submitted form; empty for a GET request. */
  form: FormFields
  /** Runs a function in a transaction. If the function throws an error, the transaction is rolled back. */
  write<Result>(run: (context: Context) => Promise<Result>): Promise<Result>
  /** Returns the Problem that `PageServices.translate` returns for an error. If it returns none, returns the error. */
  toProblem(error: unknown): unknown
  /**
   * Shows a message on the next page.
   * @param undo a form that undoes the action
   */
  flash(message: string, undo?: Undo): void
  /** Renders a page with the navigation of the application. */
  render(
    page: Omit<AppPage, 'section' | 'path' | 'csrf' | 'flash' | 'isAdministrator' | 'accountId'>,
    status?: number,
  ): PageResult
}

/** A page for signed-in users. */
export type SignedInPage = (request: SignedInRequest) => Promise<PageResult>

const UNSAFE_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Returns the message set by the previous page and deletes it. */
function consumeFlash({ ctx, context }: PageRequest): Flash | undefined {
  const flash = readCookie(ctx, context.services, 'flash')
  if (flash === undefined) return undefined
  setCookie(ctx, context.services, 'flash', undefined)
  return decodeFlash(flash)
}

/**
 * Returns the session that the cookie of the request identifies, with the session token. Returns undefined if the
 * visitor is not signed in.
 */
export async function readSession({
  ctx,
  context,
}: PageRequest): Promise<{ token: string; session: Session } | undefined> {
  const token = readCookie(ctx, context.services, 'session')
  const session = token ? await findSession(context, token) : undefined
  if (!token || !session) return undefined
  if (session.renewed) setCookie(ctx, context.services, 'session', token)
  return { token, session }
}

/**
 * Returns the path and query of the referring page. Returns undefined if no page of this site is the referrer, or if
 * the referrer of a GET request has the path of the request itself.
 */
function previousPath({ ctx, context: { services } }: PageRequest): string | undefined {
  const referer = ctx.get('referer')
  const { origin, pathname, search } = URL.canParse(referer) ? new URL(referer) : new URL('about:blank')
  const base = basePathOf(services.baseUrl)
  if (origin !== new URL(services.baseUrl).origin || !pathname.startsWith(`${base}/`)) return undefined
  const path = pathname.slice(base.length)
  return ctx.method === 'GET' && path === ctx.path ? undefined : path + search
}

/**
 * Size limit of most forms. The longest field is the message of an invitation. It has up to 100,000 characters, and in
 * some writing systems a form needs nine bytes for each character.
 */
const MAX_FORM_BYTES = 1024 * 1024

/**
 * Size limit of forms with a file, a whole structure, or texts in a hundred languages. Requests to the API have the
 * same limit.
 */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024

/** The size limit of a form in bytes, or an object if its files are not read as text but as `base64`. */
export type FormLimits = number | { maxBytes: number; files: 'base64' }

/** Limits of forms with a file of any type. */
export const BINARY_UPLOAD: FormLimits = { maxBytes: MAX_UPLOAD_BYTES, files: 'base64' }

const limitsOf = (limits: FormLimits): [maxBytes: number, files: 'text' | 'base64'] =>
  typeof limits === 'number' ? [limits, 'text'] : [limits.maxBytes, limits.files]

/** Returns whether a page is shown before the second factor is set up, if the operator requires one. */
const isAllowedBefore = (path: string): boolean =>
  path.startsWith('/account/second-factor/') || path === '/accounts/logout/'

/**
 * Converts a page for signed-in users to a page function. The function redirects visitors who are not signed in to the
 * sign-in page. It rejects forms that lack the CSRF token of the session or that another site submitted.
 * @param section the section of the navigation to which the page belongs
 * @param limits size limit of the form in bytes, and how its files are read
 */
export const signedIn =
  (section: Section, page: SignedInPage, limits: FormLimits = MAX_FORM_BYTES): Page =>
  async (request) => {
    const { ctx, context, deps } = request
    denyFraming(ctx)
    const { services } = context
    const isUnsafe = UNSAFE_METHODS.has(ctx.method)
    const signedIn = await readSession(request)
    if (!signedIn) {
      // The page with the form, which then shows what was typed (app.js).
      const next = isUnsafe ? (previousPath(request) ?? '/account/') : ctx.path + ctx.search
      return { redirect: `/accounts/login/?next=${encodeURIComponent(next)}` }
    }
    const { token, session } = signedIn
    const locale = useLocale(ctx, session.locale)
    ctx.state.actor = session.actor
    return inLocale(locale, async () => {
      const csrf = csrfToken(context, token)
      const userContext: Context = { ...context, actor: session.actor }
      const render: SignedInRequest['render'] = (shown, status = 200) => {
        const { isAdministrator, actor } = session
        const flash = consumeFlash(request)
        return {
          status,
          page: appPage({ ...shown, section, path: ctx.path, csrf, isAdministrator, accountId: actor.id, flash }),
        }
      }
      const showError = (title: string, text: string, status: number, linkOfProblem?: ErrorPage['link']) => {
        const previous = previousPath(request)
        const { path, own } = sectionOf(section)
        const link =
          linkOfProblem ?? (previous === undefined ? { path, label: own } : { path: previous, label: t('Back') })
        return render({ title, content: html`<section class="card">${errorView({ text, link })}</section>` }, status)
      }
      if (services.signIn.secondFactor === 'required' && !session.hasSecondFactor && !isAllowedBefore(ctx.path))
        return { redirect: '/account/second-factor/' }
      try {
        const form = isUnsafe ? await request.form(...limitsOf(limits)) : {}
        const formZone = formValue(form, ZONE_PARAMETER) ?? request.query.get(ZONE_PARAMETER) ?? ''
        locale.timeZone = canonicalTimeZone(formZone) ?? locale.timeZone
        if (isUnsafe && !isOwnForm(ctx, services, form, csrf))
          return showError(
            t('This form has expired'),
            t('Nothing was changed. Go back, reload the page and submit the form again.'),
            403,
          )
        return await page({
          ...request,
          context: userContext,
          session,
          csrf,
          form,
          render,
          toProblem: (error) => deps.translate(error) ?? error,
          write: (run) => deps.fork().transactional((em) => run({ ...userContext, em })),
          flash: (text, undo) => setCookie(ctx, services, 'flash', encodeFlash({ text, undo })),
        })
      } catch (thrown) {
        const error = thrown instanceof Problem ? thrown : deps.translate(thrown)
        if (!error) throw thrown
        if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
        const [title, status] =
          'status' in error && error.status === 413
            ? ([t('The form is too large'), 413] as const)
            : (ERROR_TITLES()[error.kind] ?? [t('There is a problem'), 409])
        return showError(title, problemText(error), status, error instanceof LinkedProblem ? error.link : undefined)
      }
    })
  }

const ERROR_TITLES: () => { readonly [Kind in Problem['kind']]?: [title: string, status: number] } = perLanguage(
  () => ({
    not_found: [t('Not found'), 404],
    forbidden: [t('Permission denied'), 403],
    invalid: [t('There is a problem'), 422],
    too_many: [t('Try again later'), 429],
    unavailable: [t('Service unavailable'), 503],
  }),
)

/** Parses an ID in a path. For a text that is not an ID, returns 0, which no object has as its ID. */
export const parseId = (text: string | undefined): number => (/^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : 0)
