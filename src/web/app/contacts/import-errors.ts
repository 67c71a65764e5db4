import type { FieldError } from '../../../domain/field-error.ts'
import { type Html, html } from '../../../lib/html.ts'
import { tableErrorText } from '../../forms/table-errors.ts'

/** Lists why a file of contacts was not imported. */
export const importErrors = (errors: readonly FieldError[]): Html =>
  html`<section class="alert" role="alert" aria-labelledby="errors"><h2 id="errors">Nothing was imported</h2><ul class="errors">${errors.map((error) => html`<li>${tableErrorText(error)}</li>`)}</ul></section>`
