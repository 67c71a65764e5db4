import type { Catalog } from './catalog.ts'
import { de } from './de/catalog.ts'

/** The languages of the pages, by code: their names in the language itself. English is the language of the sources. */
export const pageLanguages = { en: 'English', de: 'Deutsch' } as const
export type PageLanguage = keyof typeof pageLanguages

/** The translations by language. Each is complete: `test/web/page-texts.test.ts` compares it with the sources. */
export const catalogs: Readonly<Partial<Record<PageLanguage, Catalog>>> = { de }
