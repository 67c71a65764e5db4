import { plainText, withoutFormat } from '../../lib/strings.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { type AnswerErrorCode, answerError } from './answer-error.ts'
import { ambiguousNumber, isNumericText, readNumber } from './number.ts'
import type { Field, Questionnaire, Validation, ValidationKind } from './questionnaire.ts'
import { textIn } from './text.ts'

/** The rule of each kind. Every pattern matches in linear time. */
const kindRules: Readonly<Record<ValidationKind, { isValid: (text: string) => boolean; code: AnswerErrorCode }>> = {
  email: { isValid: isEmail, code: 'invalid_email' },
  integer: { isValid: (text) => /^-?\d{1,300}$/.test(numberIn(text, true) ?? ''), code: 'not_an_integer' },
  number: { isValid: (text) => numberIn(text) !== undefined, code: 'not_a_number' },
  url: { isValid: isUrl, code: 'invalid_url' },
  phone: { isValid: isPhone, code: 'invalid_phone' },
  letters: {
    isValid: (text) => /^[\p{L}\p{M}]+(?:[ '’-][\p{L}\p{M}]+)*$/u.test(text),
    code: 'not_letters',
  },
}

/**
 * Returns the error of a text answer, if any. The author's message replaces the default message. White space at the
 * beginning and end is ignored, except in the length of the text.
 */
export function validateText(
  validation: Validation | undefined,
  answer: string,
  q: Questionnaire,
  language: string,
): ValueError | undefined {
  if (!validation) return undefined
  const text = answer.trim()
  const error = kindError(validation, text) ?? rangeError(validation, text) ?? lengthError(validation, answer)
  const message = error && validation.message && textIn(validation.message, language, q)
  return message ? valueError('invalid_answer', {}, message) : error
}

function kindError({ kind }: Validation, text: string): ValueError | undefined {
  const rule = kind && kindRules[kind]
  return rule && !rule.isValid(text) ? answerError(rule.code) : undefined
}

function rangeError({ kind, min, max }: Validation, text: string): ValueError | undefined {
  if (min === undefined && max === undefined) return undefined
  const number = numberIn(text, kind === 'integer')
  if (number === undefined) return answerError('not_a_number')
  const value = Number(number)
  if (min !== undefined && value < min) return answerError('too_small', { min })
  return max !== undefined && value > max ? answerError('too_large', { max }) : undefined
}

function lengthError({ minLength, maxLength }: Validation, text: string): ValueError | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined
  const length = countCharacters(text)
  if (minLength !== undefined && length < minLength) return answerError('too_short', { min: minLength })
  return maxLength !== undefined && length > maxLength ? answerError('too_long', { max: maxLength }) : undefined
}

/** Counts code points, so that most emoji are one character. A line break is one character, even if it is CR LF. */
function countCharacters(text: string): number {
  let count = 0
  for (const character of text.replaceAll('\r\n', '\n')) if (character) count++
  return count
}

/** Reads a number in normal form; undefined if the text is not a number or can be read in two ways. */
function numberIn(text: string, whole = false): string | undefined {
  const reading = readNumber(text, { whole })
  return reading && 'number' in reading ? reading.number : undefined
}

/**
 * Returns the normal form of a text answer: a number without groups and with a decimal point, or an email address or
 * telephone number without format characters. A text that is none of these is not changed; {@link validateText} returns
 * its error.
 * @param language the language of the page on which the text was entered; absent in requests of programs
 * @returns an error for a number that can be read in two ways
 */
export function normaliseText(field: Field, text: string, language: string | undefined): string | ValueError {
  if (field.type !== 'string') return text
  const kind = field.question.validation?.kind
  if (kind === 'email') return withoutFormat(text)
  if (kind === 'phone') return plainText(text).replaceAll('＋', '+')
  if (!isNumericText(field)) return text
  const reading = readNumber(text, { whole: kind === 'integer', language })
  if (!reading) return text
  return 'number' in reading ? reading.number : ambiguousNumber(text, reading.readings)
}

/** Reports whether a text is an email address within the lengths of RFC 5321, with a domain of at least two labels. */
function isEmail(text: string): boolean {
  if (text.length > 254) return false
  const [local = '', domain = '', ...rest] = text.split('@')
  return (
    rest.length === 0 &&
    /^[^\s"(),:;<>[\\\]]{1,64}$/.test(local) &&
    !local.startsWith('.') &&
    !local.endsWith('.') &&
    !local.includes('..') &&
    domain.includes('.') &&
    domain.split('.').every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u.test(label))
  )
}

function isUrl(text: string): boolean {
  return text.length <= 2048 && /^https?:\/\/[^\s/]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
}

/**
 * Reports whether a text is a phone number: 3 to 15 digits (15 is the maximum of E.164) with the usual separators and,
 * optionally, a leading plus sign. Phones and word processors write other dashes than the hyphen.
 */
function isPhone(text: string): boolean {
  if (text.length > 40 || !/^\+?[\d\s().\p{Pd}/]+$/u.test(text)) return false
  const digits = text.replace(/\D/g, '').length
  return digits >= 3 && digits <= 15
}
