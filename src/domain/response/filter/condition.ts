import { type ValueError, valueError } from '../../field-error.ts'
import { DECIMAL } from '../../structure/answer-cache.ts'
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
   * The time is compared with a period: a day, a minute, a second or a millisecond. The period contains `from` and ends
   * before `before`, both in milliseconds since 1970. `=` matches times within the period, `>` times after it, and `<`
   * times before it.
   */
  | { kind: 'time'; column: MetaTimeColumn; operator: Comparison; from: number; before: number }
  /** The IP address belongs to this network, in CIDR notation. */
  | { kind: 'network'; network: string }
  /** The response has this key, 40 hexadecimal digits. */
  | { kind: 'key'; value: string }
  /** At least one key has an answer that is one of the values or a list that contains one of the values. */
  | { kind: 'answer'; keys: readonly string[]; values: readonly (string | number | boolean)[]; negated: boolean }
  /** At least one key has an answer that is the text, ignoring case, or a list that contains one of the numbers. */
  | { kind: 'equals'; keys: readonly string[]; text: string; numbers: readonly number[] }
  /** No key has an answer. */
  | { kind: 'unanswered'; keys: readonly string[] }
  /** At least one key has a number or a numeric text for which the comparison with the limit is true. */
  | { kind: 'order'; keys: readonly string[]; operator: Comparison; limit: string }
  /** The ranking under the key has the choice with this stable number at a rank, from 1, for which the comparison is true. */
  | { kind: 'rank'; key: string; uid: number; operator: Comparison; rank: number }
  /** At least one key has a text answer that contains a text, ignoring case. */
  | { kind: 'contains'; keys: readonly string[]; text: string }
  /**
   * At least one key has a date or time for which the comparison is true. Only the first characters are compared, as
   * many as `moment` has.
   */
  | { kind: 'moment'; keys: readonly string[]; operator: Comparison; moment: string; format: 'date' | 'time' }
  /** At least one of the filters is met. */
  | { kind: 'any'; filters: readonly Filter[] }
  /**
   * A condition on data that identify respondents. `test` applies to responses of these collectors. Responses of other
   * collectors are anonymous; for them the result is `elsewhere`.
   */
  | { kind: 'identified'; collectors: readonly number[]; elsewhere: boolean; test: Condition }

/**
 * A condition of a query string and its parsed form. If it has alternatives (`any`), its name is `_any`, and its value
 * is the query string of the alternatives.
 */
export interface Filter {
  name: string
  operator: Operator
  value: string
  test: Condition
}

export { DECIMAL }

/** Regular expressions for stored texts: a date, with or without a time, and a time of day. */
export const DATETIME_PATTERNS = { date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)', time: '^[0-9]{2}:[0-9]{2}(:|$)' } as const

/** Returns the error of an operator or a value that the field does not support. */
export const invalidFilter = (message: string): ValueError => valueError('invalid_filter', {}, message)
