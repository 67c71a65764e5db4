import { html, type Part } from '../../../lib/html.ts'
import type { StructureFault } from './read-structure.ts'

/**
 * What is wrong and what is probably misspelt, place by place. The list of errors is there even when it is empty, for
 * the script to fill.
 */
export function errorsView(errors: readonly StructureFault[], warnings: readonly StructureFault[]): Part {
  const heading =
    errors.length === 1
      ? 'One thing is wrong. Nothing was saved.'
      : `${errors.length} things are wrong. Nothing was saved.`
  return html`<div class="summary errors" id="errors" role="alert"${errors.length > 0 ? html` tabindex="-1" autofocus` : html` hidden`}><h2>${heading}</h2>${listOf(errors)}</div>
${warnings.length > 0 && html`<div class="notice errors" id="warnings"><h2>${warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</h2>${listOf(warnings)}</div>`}`
}

const listOf = (places: readonly StructureFault[]): Part =>
  html`<ul>${places.map(
    ({ line, pointer, message }) =>
      html`<li><strong>Line ${line}</strong>${pointer !== undefined && pointer !== '' && html` <code>${pointer}</code>`} ${message}</li>`,
  )}</ul>`
