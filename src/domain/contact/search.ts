import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * The condition "has this in its name, its e-mail address or a custom field", in any case. It looks into the column that
 * the database keeps for it, so that the trigram index serves; `%` and `_` mean themselves.
 */
export const searched =
  (term: string) =>
  (eb: ExpressionBuilder<Tables, 'contact'>): Expression<SqlBool> => {
    const pattern = `%${term.trim().replace(/[\\%_]/g, '\\$&')}%`
    return eb('contact.search', 'like', eb.fn<string>('lower', [eb.val(pattern)]))
  }
