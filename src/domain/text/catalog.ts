import { ar } from './locales/ar.ts'
import { de } from './locales/de.ts'
import { en } from './locales/en.ts'
import { es } from './locales/es.ts'
import { fr } from './locales/fr.ts'
import { hi } from './locales/hi.ts'
import { it } from './locales/it.ts'
import { ja } from './locales/ja.ts'
import { ko } from './locales/ko.ts'
import { nl } from './locales/nl.ts'
import { pl } from './locales/pl.ts'
import { pt } from './locales/pt.ts'
import { tr } from './locales/tr.ts'
import { uk } from './locales/uk.ts'
import { zh } from './locales/zh.ts'
import { changeableTexts, type TextOverrides, withOverrides } from './overrides.ts'
import type { Texts } from './texts.ts'

/** Texts of the service by language code. Each language is complete. */
export const languages: Readonly<Record<string, Texts>> = {
  ...{ en, fr, de, es, it, nl, pt },
  ...{ ar, hi, ja, ko, pl, tr, uk, zh },
}

/** Returns a language code without script and region, in lower case. */
export const baseLanguage = (code: string): string => code.toLowerCase().split(/[-_]/, 1)[0]!

/** The texts of the pages of a survey in one language. */
export interface LocalizedTexts {
  texts: Texts
  /** The language of the default texts. */
  language: string
  /** The texts that the owner of the survey wrote, in the language of the page. */
  own: ReadonlySet<unknown>
}

/** Codes of Chinese in traditional characters. */
const TRADITIONAL_CHINESE = /^zh[-_](?:hant|tw|hk|mo)\b/i

/** Returns the default texts in a language, and their language. If there is no translation, both are English. */
export function defaultTexts(code: string): Omit<LocalizedTexts, 'own'> {
  const base = baseLanguage(code)
  return Object.hasOwn(languages, base)
    ? { texts: languages[base]!, language: TRADITIONAL_CHINESE.test(code) ? 'zh-Hans' : code }
    : { texts: languages.en!, language: 'en' }
}

/** Returns whether the service has its texts in a language, or the owner has written all of them. */
export function isComplete(code: string, overrides: TextOverrides): boolean {
  const base = baseLanguage(code)
  if (Object.hasOwn(languages, base)) return true
  const own = { ...overrides[base], ...overrides[code] }
  return Object.keys(changeableTexts(languages.en!)).every((name) => Object.hasOwn(own, name))
}

const merged = new WeakMap<TextOverrides, Map<string, LocalizedTexts>>()
const NO_OVERRIDES: TextOverrides = Object.freeze({})

/**
 * Returns the texts in a language. The texts of the owner replace the default texts: those of `fr` also apply to
 * `fr-CA`.
 * @param overrides the texts of the owner; the result is cached for this object
 */
export function textsFor(code: string, overrides: TextOverrides = NO_OVERRIDES): LocalizedTexts {
  let byLanguage = merged.get(overrides)
  if (!byLanguage) {
    byLanguage = new Map()
    merged.set(overrides, byLanguage)
  }
  let localized = byLanguage.get(code)
  if (!localized) {
    const { texts, language } = defaultTexts(code)
    const codes = [...new Set([baseLanguage(code), code])].filter((one) => Object.hasOwn(overrides, one))
    const own = Object.assign({}, ...codes.map((one) => overrides[one])) as Readonly<Record<string, string>>
    localized = { texts: withOverrides(texts, own), language, own: new Set(Object.values(own)) }
    // Outside surveys, visitors choose the language code, so the number of stored languages is limited.
    if (byLanguage.size < MAX_STORED_LANGUAGES) byLanguage.set(code, localized)
  }
  return localized
}
const MAX_STORED_LANGUAGES = 200
