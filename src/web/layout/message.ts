import { type Html, html, type Part } from '../../lib/html.ts'

/** Renders a message that a survey page shows instead of questions. It has a title and paragraphs. */
export const message = (title: Part, ...paragraphs: Part[]): Html =>
  html`<section class="message"><h2>${title}</h2>${paragraphs.map((text) => text && html`<p>${text}</p>`)}</section>`
