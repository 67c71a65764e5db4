import { html, type Part } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { StructureError } from './parse-structure-text.ts'

/**
 * Renders the lists of errors and warnings. If there are no errors, the list of errors is hidden, and the script can
 * fill it later.
 */
export function errorsView(errors: readonly StructureError[], warnings: readonly StructureError[]): Part {
  const heading = t('Nothing was saved. {errors} found.', { errors: pluralize(errors.length, 'error') })
  return html`<div class="summary errors" id="errors" role="alert"${errors.length > 0 ? html` tabindex="-1" autofocus` : html` hidden`}><h2>${heading}</h2>${listOf(errors)}</div>
${warnings.length > 0 && html`<div class="notice errors" id="warnings"><h2>${pluralize(warnings.length, 'warning')}</h2>${listOf(warnings)}</div>`}`
}

const listOf = (errors: readonly StructureError[]): Part =>
  html`<ul>${errors.map(
    ({ line, pointer, message }) =>
      html`<li><strong>Line ${line}</strong>${pointer !== undefined && pointer !== '' && html` <code>${pointer}</code>`} ${message}</li>`,
  )}</ul>`
