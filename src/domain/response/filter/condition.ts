import { type ValueError, valueError } from '../../field-error.ts'
import type { MetaNumberColumn, MetaTextColumn, MetaTimeColumn } from '../../structure/meta-fields.ts'

/** Compares values that have an order. */
export type Comparison = '=' | '<' | '>' | '<=' | '>='

/** `~` looks for a text within a text answer. */
export type Operator = Comparison | '~'

/** A condition on one response, settled: nothing of the survey is needed any more to evaluate it. */
export type Condition =
  /** `null` asks for no number at all. */
  | { kind: 'number'; column: MetaNumberColumn; operator: Comparison; value: number | null }
  /** An empty value stands for none. */
  | { kind: 'text'; column: MetaTextColumn; value: string; negated: boolean }
  /** The time named is a span, in milliseconds since 1970: a day, a minute, a second. `=` lies within, `>` after, `<` before. */
  | { kind: 'time'; column: MetaTimeColumn; operator: Comparison; from: number; before: number }
  /** 40 hexadecimal digits. */
  | { kind: 'key'; value: string }
  /** The answer under any of the keys is one of the values, or is a list with one of them. */
  | { kind: 'answer'; keys: readonly string[]; values: readonly (string | number | boolean)[]; negated: boolean }
  /** None of the keys has an answer. */
  | { kind: 'unanswered'; keys: readonly string[] }
  /** The answer under any of the keys is a number, or a text that is one, on this side of the limit. */
  | { kind: 'order'; keys: readonly string[]; operator: Comparison; limit: string }
  /** The text answer under any of the keys contains a text, in upper or lower case. */
  | { kind: 'contains'; keys: readonly string[]; text: string }
  /** The answer under any of the keys is a date or time; as much of it as `moment` has is compared, as written. */
  | { kind: 'moment'; keys: readonly string[]; operator: Comparison; moment: string; format: 'date' | 'time' }
  /** Respondents are only known at these collectors; elsewhere the value counts as empty, which is what is shown. */
  | { kind: 'identified'; collectors: readonly number[]; elsewhere: boolean; test: Condition }

/** One condition as it was written, and what it asks for. */
export interface Filter {
  name: string
  operator: Operator
  value: string
  test: Condition
}

/** A number that the database reads as one without fail: no exponent, at most 30 digits before and after the point. */
export const DECIMAL = '^-?[0-9]{1,30}(\\.[0-9]{1,30})?$'

/** How a stored text has to begin to count as a date (with or without time), or as a time of day. */
export const MOMENT = { date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)', time: '^[0-9]{2}:[0-9]{2}(:|$)' } as const

/** Returns the error of a comparison that its field does not support. */
export const invalidFilter = (message: string): ValueError => valueError('invalid_filter', {}, message)
