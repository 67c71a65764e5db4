import { type Html, html } from '../../../lib/html.ts'

const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A time of the database in UTC, as `21 Nov 2026, 06:10`. */
export function timeView(time: string): Html {
  const moment = new Date(time)
  return html`<time datetime="${moment.toISOString()}">${FORMAT.format(moment)}</time>`
}

/** How long something took. */
export function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count} ${unit}`)
      .join(' ') || '0 s'
  )
}
