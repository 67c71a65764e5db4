import { type Html, html } from '../../lib/html.ts'

/** The way back to what a page belongs to. */
export const backTo = (path: string, label: string): Html => html`<p class="crumb"><a href="${path}">${label}</a></p>`
