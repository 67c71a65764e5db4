import { type Html, html } from '../lib/html.ts'

/** A moment, to the minute, in UTC; programs find it whole. */
export const timeView = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`

/** The day of a moment. */
export const dayView = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`

/** How many there are of something: `1 contact`, `2 contacts`, `1,000 contacts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
