import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context as Koa } from 'koa'
import { directionOf } from '../../domain/text/catalog.ts'
import { type Html, printHtml, type TemplateRewriter } from '../../lib/html.ts'
import { canonicalTimeZone } from '../../lib/time-zone.ts'
import { type Catalog, catalogs, pageLanguages } from './catalog.ts'
import { templateTranslator } from './rewrite-template.ts'

/** The language and the time zone of the pages that owners see. */
export interface PageLocale {
  language: string
  /** An IANA time zone, in which the page shows and reads times. */
  timeZone: string
}

const ENGLISH: PageLocale = { language: 'en', timeZone: 'UTC' }
/** The cookie in which the script app.js names the time zone of the browser. */
const ZONE_COOKIE = 'time_zone'
const locales = new AsyncLocalStorage<PageLocale>()

const translators = new Map<Catalog, TemplateRewriter>()

/** Returns the function that translates templates into a language; undefined for English. */
function translatorOf(language: string): TemplateRewriter | undefined {
  const catalog = catalogs[language]
  if (!catalog) return undefined
  const translator = translators.get(catalog) ?? templateTranslator((text) => catalog.texts.get(text))
  translators.set(catalog, translator)
  return translator
}

/** Runs a function that renders a page. Texts, dates and numbers that it formats are in the language of the locale. */
export const inLocale = <Result>(locale: PageLocale, run: () => Result): Result => locales.run(locale, run)

/** Returns a page as text, with its templates in a language. */
export const printIn = (language: string, page: Html): string => printHtml(page, translatorOf(language))

/** The choice of a visitor without an account. */
export const NO_CHOICE = { language: null, timeZone: null }

/** Returns the locale of the current page; English and UTC if no owner page is being rendered. */
export const pageLocale = (): PageLocale => locales.getStore() ?? ENGLISH

/** Returns the language of the current page. */
export const pageLanguage = (): string => pageLocale().language

/** Returns the direction in which the language of the current page is written. */
export const pageDirection = (): 'ltr' | 'rtl' => directionOf(pageLanguage())

/** Returns the translations for the current page; undefined if its language is English. */
export const pageCatalog = (): Catalog | undefined => catalogs[pageLanguage()]

/** Returns the name of the time zone of the current page, as the page shows it beside times. */
export const zoneName = (): string => pageLocale().timeZone.replaceAll('_', ' ')

/**
 * Returns the locale of a page: the language and time zone that the user chose for the account. Without a choice, the
 * language is one that the browser prefers, and the time zone is that of the browser; UTC without scripts.
 */
export const localeFor = (
  ctx: Koa,
  { language, timeZone }: { language: string | null; timeZone: string | null },
): PageLocale => ({
  language: language !== null && Object.hasOwn(pageLanguages, language) ? language : preferredLanguage(ctx),
  timeZone: canonicalTimeZone(timeZone ?? ctx.cookies.get(ZONE_COOKIE) ?? '') ?? 'UTC',
})

/** Returns the locale of a page like {@link localeFor}. The page, or the page of an error, is printed in it. */
export function useLocale(ctx: Koa, choice: { language: string | null; timeZone: string | null }): PageLocale {
  const locale = localeFor(ctx, choice)
  ctx.state.locale = locale
  return locale
}

/** Returns the language of a page for visitors who have not chosen one: a language that the browser prefers. */
export const preferredLanguage = (ctx: Koa): string => ctx.acceptsLanguages(Object.keys(pageLanguages)) || 'en'
