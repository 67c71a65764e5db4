import { type Html, html } from '../../lib/html.ts'
import { pageLocale } from '../i18n/page-locale.ts'

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
export const timeText = (at: Date): string => formatIn(false).format(at)

/** Returns the date of a time in the time zone of the page: `15 Jan 2026`. */
export const dateText = (at: Date): string => formatIn(true).format(at)

/** Returns a day such as `2026-01-15` in the language of the page: `15 Jan 2026`. */
export const dayText = (day: string): string => formatIn(true, 'UTC').format(new Date(day))

/** Renders {@link timeText}. */
export const timeTag = (at: Date): Html => html`<time datetime="${at.toISOString()}">${timeText(at)}</time>`

/** Renders {@link dateText}. */
export const dateTag = (at: Date): Html => html`<time datetime="${at.toISOString()}">${dateText(at)}</time>`
