import { type Html, html, type Part } from '../../lib/html.ts'

/** Renders a message in place of questions: a title and paragraphs. */
export const message = (title: Part, ...paragraphs: Part[]): Html =>
  html`<section class="message"><h2>${title}</h2>${paragraphs.map((text) => text && html`<p>${text}</p>`)}</section>`
