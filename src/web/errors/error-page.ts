import type { Context as Koa } from 'koa'
import { Problem } from '../../domain/problem.ts'
import { directionOf, textsFor } from '../../domain/text/catalog.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { requestedLanguage } from '../i18n/i18n.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { authPage, htmlDocument } from '../layout/document.ts'
import { message } from '../layout/parts.ts'

/** The content of an error page. */
export interface ErrorPage {
  title: string
  text: Part
  link?: { path: string; label: string } | undefined
}

/** A problem that occurred on a subpage of an object. Its error page has a link to the main page of the object. */
export class LinkedProblem extends Problem {
  readonly link: NonNullable<ErrorPage['link']>

  constructor({ kind, code, message, errors }: Problem, link: NonNullable<ErrorPage['link']>) {
    super(kind, code, message, errors)
    this.link = link
  }
}

/** Renders the body of an error page. */
export const errorView = ({ text, link }: Omit<ErrorPage, 'title'>): Html =>
  html`<p>${text}</p>${link && html`<p class="below"><a class="button" href="${link.path}">${link.label}</a></p>`}`

/** Returns the link to the home page, which redirects visitors who are not signed in to the sign-in page. */
export const START_LINK = perLanguage(() => ({ path: '/', label: t('Go to the home page') }))

export const NOT_FOUND: () => ErrorPage = perLanguage(() => ({
  title: t('Page not found'),
  text: t('Check that the address is correct. The page may have been moved or deleted.'),
  link: START_LINK(),
}))

/** Returns the error page for a method that an address does not support. */
export const methodNotAllowed = (method: string): ErrorPage => ({
  title: t('Page cannot be opened'),
  text:
    method === 'GET' || method === 'HEAD'
      ? t('This address only accepts submitted forms. Nothing was changed.')
      : t('This address does not accept forms. Nothing was changed.'),
  link: START_LINK(),
})

/**
 * Returns whether a path belongs to pages for respondents. Error pages for respondents are in the respondent's language
 * and look like survey pages.
 */
const isRespondentPath = (path: string): boolean => /^\/(surveys|unsubscribe|s)(\/|$)/.test(path)

/** Returns whether a path belongs to shared reports, which people without an account can read. */
const isSharedReportPath = (path: string): boolean => /^\/reports(\/|$)/.test(path)

/** Renders an error page for a visitor who may not be signed in. */
export function errorPage(ctx: Koa, status: number, { title, text, link }: ErrorPage): Html {
  if (isRespondentPath(ctx.path)) return respondentErrorPage(ctx, status)
  const reference =
    status === 500 &&
    html`<p class="soft below">
      If the problem continues, contact the administrator and give this reference: <code>${ctx.state.requestId}</code>
    </p>`
  return authPage(
    title,
    html`${errorView({ text, link: isSharedReportPath(ctx.path) ? undefined : link })}${reference}`,
  )
}

/**
 * Renders an error page in the language that the URL specifies. If the URL specifies no language, uses a language that
 * the browser prefers.
 */
function respondentErrorPage(ctx: Koa, status: number): Html {
  const language = requestedLanguage(ctx)
  const { texts } = textsFor(language)
  const notFoundTitle = ctx.path.startsWith('/surveys/')
    ? texts.surveyNotFoundTitle
    : ctx.path.startsWith('/s/')
      ? texts.closedTitle
      : texts.pageNotFoundTitle
  const [title, text] =
    status === 404 || status === 405
      ? [notFoundTitle, texts.notFound]
      : status === 413
        ? [texts.tooLargeTitle, texts.tooLarge]
        : status === 429
          ? [texts.tooManyRequestsTitle, texts.tooManyRequests]
          : [texts.serverErrorTitle, texts.serverError]
  const body = html`<main id="main"><h1 class="hidden">${title}</h1>${message(title, text)}</main>`
  return htmlDocument({ language, direction: directionOf(language), title, body })
}
