import { type Html, html } from '../../lib/html.ts'

/** Renders a time to the minute, in UTC. */
export const timeTag = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 16)} UTC</time>`

/** Renders the UTC date of a time. */
export const dateTag = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`
