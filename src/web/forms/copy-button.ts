import { type Html, html } from '../../lib/html.ts'

/**
 * Renders a button that copies the text of an element. The page must load the script `copy.js`. In browsers without
 * scripts, the button is hidden.
 */
export const copyButton = (id: string, label: string): Html =>
  html`<button type="button" class="small" data-copy="${id}" aria-label="${label}" hidden>Copy</button>`
