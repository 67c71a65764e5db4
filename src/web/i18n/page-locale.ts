import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context as Koa } from 'koa'
import { directionOf } from '../../domain/text/direction.ts'
import { rewriteTemplates, type TemplateRewriter } from '../../lib/html.ts'
import type { Catalog } from './catalog.ts'
import { catalogs, type PageLanguage, pageLanguages } from './catalogs.ts'
import { templateTranslator } from './rewrite-template.ts'

/** The language and the time zone of the pages that owners see. */
export interface PageLocale {
  language: PageLanguage
  /**
   * An IANA time zone. If it is undefined, times are rendered in UTC, and the script of the pages converts them to the
   * time zone of the browser.
   */
  timeZone?: string | undefined
}

const ENGLISH: PageLocale = { language: 'en' }
const locales = new AsyncLocalStorage<PageLocale>()

const translators = new Map<string, TemplateRewriter>(
  Object.entries(catalogs).map(([language, { texts }]) => [language, templateTranslator((text) => texts.get(text))]),
)

/** Runs a function that renders a page. The page is in the language of the locale. */
export const inLocale = <Result>(locale: PageLocale, run: () => Result): Result =>
  locales.run(locale, () => rewriteTemplates(translators.get(locale.language), run))

/** Returns the locale of the current page; English without a time zone if no owner page is being rendered. */
export const pageLocale = (): PageLocale => locales.getStore() ?? ENGLISH

/** Returns the language of the current page. */
export const pageLanguage = (): PageLanguage => pageLocale().language

/** Returns the direction in which the language of the current page is written. */
export const pageDirection = (): 'ltr' | 'rtl' => directionOf(pageLanguage())

/** Returns the translations for the current page; undefined if its language is English. */
export const pageCatalog = (): Catalog | undefined => catalogs[pageLanguage()]

/**
 * Returns the locale of a page: the language and time zone that the user chose for the account. If the user chose no
 * language, the page is in a language that the browser prefers.
 */
export const localeFor = (
  ctx: Koa,
  { language, timeZone }: { language: string | null; timeZone: string | null },
): PageLocale => ({
  language:
    language !== null && Object.hasOwn(pageLanguages, language) ? (language as PageLanguage) : preferredLanguage(ctx),
  timeZone: timeZone ?? undefined,
})

/** Returns the language of a page for visitors who have not chosen one: a language that the browser prefers. */
export const preferredLanguage = (ctx: Koa): PageLanguage =>
  (ctx.acceptsLanguages(Object.keys(pageLanguages)) || 'en') as PageLanguage
