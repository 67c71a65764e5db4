import { type Html, html } from '../../lib/html.ts'

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** Renders a time to the minute, in UTC: `15 Jan 2026, 12:00 UTC`. The script app.js shows it in the time zone of the reader. */
export const timeTag = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${dateFormat.format(at)}, ${at.toISOString().slice(11, 16)} UTC</time>`

/** Renders the UTC date of a time: `15 Jan 2026`. The script app.js shows the date in the time zone of the reader. */
export const dateTag = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}" data-date>${dateFormat.format(at)}</time>`
