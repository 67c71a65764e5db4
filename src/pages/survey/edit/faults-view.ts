import { html, type Part } from '../../../lib/html.ts'
import type { StructureFault } from './reading.ts'

/** What is wrong, place by place, and what may have led to it; empty but there where nothing is, for the script to fill. */
export function faultsView(faults: readonly StructureFault[], remarks: readonly StructureFault[]): Part {
  const heading =
    faults.length === 1
      ? 'One thing is wrong. Nothing was saved.'
      : `${faults.length} things are wrong. Nothing was saved.`
  return html`<div class="summary faults" id="faults" role="alert"${faults.length > 0 ? html` tabindex="-1" autofocus` : html` hidden`}><h2>${heading}</h2><ul>${[
    ...faults,
    ...remarks,
  ].map(
    ({ line, pointer, message }) =>
      html`<li><strong>Line ${line}</strong>${pointer !== undefined && pointer !== '' && html` <code>${pointer}</code>`} ${message}</li>`,
  )}</ul></div>`
}
