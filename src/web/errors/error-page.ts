import type { Context as Koa } from 'koa'
import { type Html, html, type Part } from '../../lib/html.ts'
import { languages, wordsFor } from '../i18n/locales.ts'
import { authPage } from '../layout/app-shell.ts'
import { documentOf } from '../layout/document.ts'
import { message } from '../layout/message.ts'

/** What a page that says no says, and where it leads. */
export interface ErrorPage {
  title: string
  text: Part
  way?: { path: string; label: string } | undefined
}

/** The card of a page that says no. */
export const errorView = ({ text, way }: Omit<ErrorPage, 'title'>): Html =>
  html`<p>${text}</p>${way && html`<p class="below"><a class="button" href="${way.path}">${way.label}</a></p>`}`

/** Somewhere that all can begin from, signed in or not. */
export const START = { path: '/', label: 'To the start page' }

export const NOTHING: ErrorPage = {
  title: 'There is nothing here',
  text: 'Please check the address. What was here may be gone.',
  way: START,
}

/** What is told of an address that knows other methods than the one that came. */
export const unfit = (method: string): ErrorPage => ({
  title: 'That does not work here',
  text:
    method === 'GET' || method === 'HEAD'
      ? 'This address only takes what a form of ours sends. Nothing was changed.'
      : 'Nothing can be sent to this address. Nothing was changed.',
  way: START,
})

/** Respondents know no account of ours: they are told in their own language, in the look of surveys. */
const isRespondents = (path: string): boolean => /^\/(surveys|unsubscribe)(\/|$)/.test(path)

/** Whoever got a link to a report knows no account of ours either. */
const isReaders = (path: string): boolean => /^\/reports(\/|$)/.test(path)

/** A page that says no to somebody of whom nothing is known: they need not be signed in. */
export function errorPage(ctx: Koa, status: number, refusal: ErrorPage): Html {
  if (isRespondents(ctx.path)) return toRespondents(ctx, status)
  const { title, text, way } = refusal
  const reference =
    status === 500 &&
    html`<p class="soft below">If it goes on, tell us this number: <code>${ctx.state.requestId}</code></p>`
  return authPage(title, html`${errorView({ text, way: isReaders(ctx.path) ? undefined : way })}${reference}`)
}

/** The address may name a language; else the browser is asked. */
function toRespondents(ctx: Koa, status: number): Html {
  const named = String(ctx.query.lang)
  const language = Object.hasOwn(languages, named) ? named : ctx.acceptsLanguages(Object.keys(languages)) || 'en'
  const { words } = wordsFor(language)
  const absent = ctx.path.startsWith('/surveys/') ? words.missingTitle : words.lostTitle
  const [title, text] =
    status === 404 || status === 405
      ? [absent, words.missing]
      : status === 413
        ? [words.largeTitle, words.large]
        : [words.brokenTitle, words.broken]
  const body = html`<main id="main"><h1 class="hidden">${title}</h1>${message(title, text)}</main>`
  return documentOf({ language, direction: 'ltr', title, body })
}
