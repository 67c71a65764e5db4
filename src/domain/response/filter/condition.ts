import { type ValueError, valueError } from '../../field-error.ts'
import type { MetaNumberColumn, MetaTextColumn, MetaTimeColumn } from '../../structure/meta-fields.ts'

/** An operator for values with an order. */
export type Comparison = '=' | '<' | '>' | '<=' | '>='

/** `~` searches for a text in a text answer. */
export type Operator = Comparison | '~'

/** A condition on a response that can be evaluated without the survey. */
export type Condition =
  /** `null` matches an empty field. */
  | { kind: 'number'; column: MetaNumberColumn; operator: Comparison; value: number | null }
  /** An empty value matches an empty field. */
  | { kind: 'text'; column: MetaTextColumn; value: string; negated: boolean }
  /**
   * A period in milliseconds since 1970: a day, a minute or a second. `=` matches times within the period, `>` after
   * it, and `<` before it.
   */
  | { kind: 'time'; column: MetaTimeColumn; operator: Comparison; from: number; before: number }
  /** The response has this key, 40 hexadecimal digits. */
  | { kind: 'key'; value: string }
  /** The answer of any key is one of the values, or a list that contains one of them. */
  | { kind: 'answer'; keys: readonly string[]; values: readonly (string | number | boolean)[]; negated: boolean }
  /** No key has an answer. */
  | { kind: 'unanswered'; keys: readonly string[] }
  /** The answer of any key is a number or a numeric text for which the comparison with the limit is true. */
  | { kind: 'order'; keys: readonly string[]; operator: Comparison; limit: string }
  /** The text answer of any key contains a text, ignoring case. */
  | { kind: 'contains'; keys: readonly string[]; text: string }
  /** The answer of any key is a date or time. As many of its characters as `moment` has are compared. */
  | { kind: 'moment'; keys: readonly string[]; operator: Comparison; moment: string; format: 'date' | 'time' }
  /**
   * For responses of these collectors, `test` decides. For responses of other collectors, which are anonymous, the
   * result is `elsewhere`.
   */
  | { kind: 'identified'; collectors: readonly number[]; elsewhere: boolean; test: Condition }

/** A condition of a query string and its parsed form. */
export interface Filter {
  name: string
  operator: Operator
  value: string
  test: Condition
}

/** Texts that PostgreSQL can cast to a number: no exponent, at most 30 digits before and after the point. */
export const DECIMAL = '^-?[0-9]{1,30}(\\.[0-9]{1,30})?$'

/** Beginnings of stored texts that are dates, with or without a time, or times of day. */
export const DATETIME_PATTERNS = { date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)', time: '^[0-9]{2}:[0-9]{2}(:|$)' } as const

/** Returns the error of a comparison that the field does not support. */
export const invalidFilter = (message: string): ValueError => valueError('invalid_filter', {}, message)
