import { type Html, html } from '../../lib/html.ts'
import { pageCatalog, pageLanguage, pageLocale } from '../i18n/page-locale.ts'

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

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the format of dates, or of dates with times, in the language of the page and a time zone. */
function formatIn(isDate: boolean, timeZone = pageLocale().timeZone): Intl.DateTimeFormat {
  const { language } = pageLocale()
  const key = `${language} ${timeZone} ${isDate}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      timeZone,
      ...{ day: 'numeric', month: 'short', year: 'numeric' },
      ...(!isDate && { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' }),
    })
  formats.set(key, format)
  return format
}

/** Returns a time to the minute in the time zone of the page: `15 Jan 2026, 12:00 UTC`. */
const timeText = (at: Date): string => formatIn(false).format(at)

/** Returns the date of a time in the time zone of the page: `15 Jan 2026`. */
const dateText = (at: Date): string => formatIn(true).format(at)

/** Returns a day such as `2026-01-15` in the language of the page: `15 Jan 2026`. */
export const dayText = (day: string): string => formatIn(true, 'UTC').format(new Date(day))

/** Renders {@link timeText}. */
export const timeTag = (at: Date): Html => html`<time datetime="${at.toISOString()}">${timeText(at)}</time>`

/** Renders {@link dateText}. */
export const dateTag = (at: Date): Html => html`<time datetime="${at.toISOString()}">${dateText(at)}</time>`
