import type { FieldErrorCode, FieldErrorParams, ValueError } from '../field-error.ts'
import { valueError } from '../field-error.ts'

/** Codes of errors in answers. The survey page has a text for each in every language (`src/web/i18n`). */
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
  'not_an_integer',
  'not_letters',
  'too_small',
  'too_large',
  'too_short',
  'too_long',
] as const satisfies readonly FieldErrorCode[]

export type AnswerErrorCode = (typeof answerErrorCodes)[number]

/** Returns the error of a code that respondents can meet, as `valueError` does. */
export const answerError = (code: AnswerErrorCode, params?: FieldErrorParams, message?: string): ValueError =>
  valueError(code, params, message)

/** The error of a missing answer. Its text is specified for `survey_error` of version 2 (docs/specification.md 7.8). */
export const ANSWER_REQUIRED = answerError('required', {}, 'An answer to this question is required.')

/** Maximum length of a text answer. */
export const MAX_TEXT_CHARACTERS = 100_000

/**
 * Returns the error of a value that is not a choice, with the text of docs/specification.md 7.8.
 * @param sent of any type and length; the message has its first 60 characters
 * @param more is appended to the message
 */
export function notAChoice(sent: unknown, more = ''): ValueError {
  const text = typeof sent === 'object' && sent !== null ? 'This' : JSON.stringify(String(sent).slice(0, 60))
  return answerError('not_a_choice', {}, `${text.toWellFormed()} is not a valid choice for the field.${more}`)
}
