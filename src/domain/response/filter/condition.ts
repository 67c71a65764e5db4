import { type ValueError, valueError } from '../../field-error.ts'
import type { MetaNumberColumn, MetaTextColumn, MetaTimeColumn } from '../../structure/meta-fields.ts'

/** Compares values that have an order. */
export type Comparison = '=' | '<' | '>' | '<=' | '>='

/** `~` searches for a text within a text answer. */
export type Operator = Comparison | '~'

/** A condition on one response that can be evaluated without the survey. */
export type Condition =
  /** `null`: the field is empty. */
  | { kind: 'number'; column: MetaNumberColumn; operator: Comparison; value: number | null }
  /** An empty value means that the field is empty. */
  | { kind: 'text'; column: MetaTextColumn; value: string; negated: boolean }
  /** The time is a span, in milliseconds since 1970: a day, a minute, a second. `=` is within it, `>` after, `<` before. */
  | { kind: 'time'; column: MetaTimeColumn; operator: Comparison; from: number; before: number }
  /** 40 hexadecimal digits. */
  | { kind: 'key'; value: string }
  /** The answer of any key is one of the values, or a list that contains one. */
  | { kind: 'answer'; keys: readonly string[]; values: readonly (string | number | boolean)[]; negated: boolean }
  /** No key has an answer. */
  | { kind: 'unanswered'; keys: readonly string[] }
  /** The answer of any key is a number, or a numeric text, and compares so with the limit. */
  | { kind: 'order'; keys: readonly string[]; operator: Comparison; limit: string }
  /** The text answer of any key contains a text, ignoring case. */
  | { kind: 'contains'; keys: readonly string[]; text: string }
  /** The answer of any key is a date or time; its first characters are compared with `moment`. */
  | { kind: 'moment'; keys: readonly string[]; operator: Comparison; moment: string; format: 'date' | 'time' }
  /** `test` applies to these collectors only; for others, whose responses are anonymous, `elsewhere` is the result. */
  | { kind: 'identified'; collectors: readonly number[]; elsewhere: boolean; test: Condition }

/** A condition as written, and its parsed form. */
export interface Filter {
  name: string
  operator: Operator
  value: string
  test: Condition
}

/** Texts that the database can cast to a number: no exponent, at most 30 digits before and after the point. */
export const DECIMAL = '^-?[0-9]{1,30}(\\.[0-9]{1,30})?$'

/** Beginnings of stored texts that are dates (with or without time), or times of day. */
export const MOMENT = { date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)', time: '^[0-9]{2}:[0-9]{2}(:|$)' } as const

/** Returns the error of a comparison that its field does not support. */
export const invalidFilter = (message: string): ValueError => valueError('invalid_filter', {}, message)
