import { type Html, html } from '../../lib/html.ts'

/** A time to the minute, in UTC as everything here, for people and programs. */
export const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 16)} UTC</time>`

/** The day of a time. */
export const day = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`
