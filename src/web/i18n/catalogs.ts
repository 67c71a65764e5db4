import type { Catalog } from './catalog.ts'
import { de } from './de/catalog.ts'

/**
 * The names of the languages in which the pages are available, by language code. Each name is in the language itself.
 * The texts in the source code are English.
 */
export const pageLanguages = { en: 'English', de: 'Deutsch' } as const
export type PageLanguage = keyof typeof pageLanguages

/**
 * The translations by language. `test/web/page-texts.test.ts` compares them with the source code, so that no
 * translation is missing.
 */
export const catalogs: Readonly<Partial<Record<PageLanguage, Catalog>>> = { de }
