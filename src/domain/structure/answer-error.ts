import { type FieldErrorCode, type FieldErrorParams, type ValueError, valueError } from '../field-error.ts'

/** Codes of errors in answers. Each language in `src/texts` has a text for each code. */
export const answerErrorCodes = [
  'required',
  'not_a_choice',
  'not_exclusive',
  'single_answer',
  'duplicate',
  'too_few',
  'too_many',
  'invalid_type',
  'invalid_characters',
  'invalid_email',
  'invalid_url',
  'invalid_phone',
  'invalid_date',
  'invalid_time',
  'invalid_datetime',
  'not_a_number',
  'ambiguous_number',
  'not_an_integer',
  'not_letters',
  'too_small',
  'too_large',
  'too_early',
  'too_late',
  'too_short',
  'too_long',
  'too_many_digits',
  'too_many_decimals',
  'invalid_step',
  'wrong_sum',
  'sum_too_large',
  'consent_changed',
  'file_not_found',
  'file_empty',
  'file_too_large',
  'file_type_not_accepted',
  'file_infected',
  'too_many_files',
  'file_storage_full',
] as const satisfies readonly FieldErrorCode[]

export type AnswerErrorCode = (typeof answerErrorCodes)[number]

/** Returns the error of an answer. The survey page has a translation for each of these codes. */
export const answerError = (code: AnswerErrorCode, params?: FieldErrorParams, message?: string): ValueError =>
  valueError(code, params, message)

/** The error of a missing answer. Its text is specified for `survey_error` of version 2 (docs/specification.md 7.8). */
export const ANSWER_REQUIRED = answerError('required', {}, 'An answer to this question is required.')

/** Maximum length of a text answer. */
export const MAX_TEXT_CHARACTERS = 100_000

/**
 * Returns the error of a value that is not a choice, with the text that docs/specification.md 7.8 requires.
 * @param value a value of any type and length; the message contains its first 60 characters
 * @param suffix a text that is appended to the message
 */
export function notAChoice(value: unknown, suffix = ''): ValueError {
  const text = typeof value === 'object' && value !== null ? 'This' : JSON.stringify(String(value).slice(0, 60))
  return answerError('not_a_choice', {}, `${text.toWellFormed()} is not a valid choice for the field.${suffix}`)
}
