import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context as Koa } from 'koa'
import { directionOf } from '../../domain/text/direction.ts'
import { rewriteTemplates, type TemplateRewriter } from '../../lib/html.ts'
import type { Catalog } from './catalog.ts'
import { catalogs, type PageLanguage, pageLanguages } from './catalogs.ts'
import { templateTranslator } from './rewrite-template.ts'

/** The language and the time zone of the pages of an owner. */
export interface PageLocale {
  language: PageLanguage
  /** An IANA time zone; undefined for UTC, which the script of the pages replaces by the time zone of the browser. */
  timeZone?: string | undefined
}

const ENGLISH: PageLocale = { language: 'en' }
const locales = new AsyncLocalStorage<PageLocale>()

const translators = new Map<string, TemplateRewriter>(
  Object.entries(catalogs).map(([language, { texts }]) => [language, templateTranslator((text) => texts.get(text))]),
)

/** Runs a function that renders a page in a language. */
export const inLocale = <Result>(locale: PageLocale, run: () => Result): Result =>
  locales.run(locale, () => rewriteTemplates(translators.get(locale.language), run))

/** Returns the locale of the current page; English in UTC outside the pages of owners. */
export const pageLocale = (): PageLocale => locales.getStore() ?? ENGLISH

/** Returns the language of the current page. */
export const pageLanguage = (): PageLanguage => pageLocale().language

/** Returns the direction in which the language of the current page is written. */
export const pageDirection = (): 'ltr' | 'rtl' => directionOf(pageLanguage())

/** Returns the texts of the current page; undefined in English. */
export const pageCatalog = (): Catalog | undefined => catalogs[pageLanguage()]

/** Returns the locale of a page: the choices of the account, or else the language that the browser prefers. */
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
