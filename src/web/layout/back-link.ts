import { type Html, html } from '../../lib/html.ts'

/** Renders the link to the parent page, above the heading. */
export const backLink = (path: string, label: string): Html =>
  html`<p class="back-link"><a href="${path}">${label}</a></p>`
