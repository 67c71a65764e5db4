import { type Html, html } from '../../lib/html.ts'
import { pageLocale } from '../i18n/page-locale.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the format of dates, or of dates with times, in the language and the time zone of the page. */
function formatIn(isDate: boolean): Intl.DateTimeFormat {
  const { language, timeZone = 'UTC' } = pageLocale()
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

/**
 * Returns an attribute for times that are already in the time zone of the account, so that the script app.js does not
 * change them.
 */
const zoned = (): Html | false => pageLocale().timeZone !== undefined && html` data-zone`

/**
 * Renders a time to the minute in the time zone of the account: `15 Jan 2026, 12:00 UTC`. Without a time zone, the
 * script app.js shows it in the time zone of the browser.
 */
export const timeTag = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}"${zoned()}>${formatIn(false).format(at)}</time>`

/** Renders the date of a time in the time zone of the account: `15 Jan 2026`. See {@link timeTag}. */
export const dateTag = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}" data-date${zoned()}>${formatIn(true).format(at)}</time>`
