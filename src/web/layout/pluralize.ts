import { pageCatalog, pageLanguage } from '../i18n/page-locale.ts'

const pluralRules = new Map<string, Intl.PluralRules>()

function pluralCategory(count: number, language: string): Intl.LDMLPluralRule {
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language)
  pluralRules.set(language, rules)
  return rules.select(count)
}

/**
 * Returns a number with its noun: `1 contact`, `2 contacts`, `1,000 contacts`. Callers must pass the nouns as literals,
 * because `test/web/page-texts.test.ts` collects them from the source code.
 */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  const language = pageLanguage()
  const forms = pageCatalog()?.plurals.get(singular)
  const noun = forms ? (forms[pluralCategory(count, language)] ?? forms.other) : count === 1 ? singular : plural
  return `${formatNumber(count)} ${noun}`
}

/** Returns a number in the language of the page: `1,000`. */
export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  value.toLocaleString(pageLanguage(), options)

/** Returns a text with its first letter in upper case. */
export const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
