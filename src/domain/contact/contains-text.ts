import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * Builds the condition that the name, the email address or a custom field contains a text, regardless of case. The
 * condition uses the generated column with the trigram index; `%` and `_` are escaped.
 */
export const containsText =
  (term: string) =>
  (eb: ExpressionBuilder<Tables, 'contact'>): Expression<SqlBool> => {
    const pattern = `%${term.trim().replace(/[\\%_]/g, '\\$&')}%`
    return eb('contact.search', 'like', eb.fn<string>('lower', [eb.val(pattern)]))
  }
