import type { FieldError } from '../../domain/field-error.ts'
import { type Html, html } from '../../lib/html.ts'
import { errorText } from '../i18n/error-texts.ts'
import { t } from '../i18n/t.ts'
import { capitalize } from '../layout/pluralize.ts'
import { isPredicate } from './field.ts'

/**
 * Renders an error in an imported table. The text begins with the position of the error in the file: `Row 3: email must
 * be an email address`.
 */
export function tableErrorText(error: FieldError): Html {
  const message = errorText(error)
  return html`<strong>${placeOf(error.field)}</strong>${isPredicate(message) ? ' ' : ': '}${message}`
}

/** Returns the position of an error: the file, `row 3`, `row 3: email`, `column 2` or the name of a column. */
function placeOf(field: string): string {
  if (field === 'body') return t('The file')
  const [, kind, number, rest = ''] = /^(row|column) (\d+)(.*)$/s.exec(field) ?? []
  if (number === undefined) return capitalize(field)
  return `${kind === 'row' ? t('Row {number}', { number }) : t('Column {number}', { number })}${rest}`
}
