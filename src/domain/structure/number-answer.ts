import { plainText } from '../../lib/strings.ts'
import type { ValueError } from '../field-error.ts'
import { answerError } from './answer-error.ts'
import { MAX_DECIMALS, MAX_NUMBER } from './kind-settings.ts'
import { readNumber } from './number-notation.ts'
import type { Field, Question } from './questionnaire.ts'

/** Number of significant digits that a stored number keeps exactly. */
const MAX_DIGITS = 15

/**
 * Parses the answer to a number question: a JSON number, or a text in any notation that {@link readNumber} reads.
 * @param language the language of the page on which the number was entered; absent in requests of programs
 */
export function parseNumber(
  question: Question,
  value: unknown,
  language?: string,
): { value: number } | { error: ValueError } {
  if (typeof value !== 'string') return checkNumber(value, String(value))
  // Browsers submit the value of the number field of a slider with a decimal point, in every language.
  const context = { whole: isWhole(question), language: question.kind === 'slider' ? undefined : language }
  const reading = readNumber(value, context)
  if (reading && 'readings' in reading) return { error: ambiguousNumber(value, reading.readings) }
  return reading && !reading.number.includes('e')
    ? checkNumber(Number(reading.number), reading.number)
    : { error: answerError('not_a_number') }
}

/** Reports whether the answers to a question are whole numbers. */
const isWhole = ({ kind, decimals, min = 0, step }: Question): boolean =>
  decimals === 0 || (kind === 'slider' && Number.isInteger(step) && Number.isInteger(min))

/** Returns the error of a number that can be read in two ways. */
export const ambiguousNumber = (value: string, [decimal, grouped]: readonly [string, string]): ValueError =>
  answerError('ambiguous_number', {
    value: plainText(value),
    decimal: Number(decimal),
    grouped: Number(grouped),
  })

function checkNumber(number: unknown, written: string): { value: number } | { error: ValueError } {
  if (typeof number !== 'number' || !Number.isFinite(number)) return { error: answerError('not_a_number') }
  if (Math.abs(number) > MAX_NUMBER || digitsOf(written) > MAX_DIGITS || decimalsOf(number) > MAX_DECIMALS)
    return { error: answerError('too_many_digits', { max: MAX_DIGITS }) }
  // Avoids a negative zero.
  return { value: number === 0 ? 0 : number }
}

/** Returns the number of significant digits. */
const digitsOf = (text: string): number => text.replace(/e.*$/i, '').replace(/^[+-]?[0.]*|\.|0+$/g, '').length

/** Returns the number of decimal places of a number, as JavaScript writes it. */
function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  return Math.max(0, (mantissa.split('.')[1] ?? '').length - Number(exponent))
}

/** Reports whether the answers to a field are texts that contain numbers. */
export const isNumericText = ({ type, question: { validation } }: Field): boolean =>
  type === 'string' &&
  validation !== undefined &&
  (validation.kind === 'number' ||
    validation.kind === 'integer' ||
    (validation.kind === undefined && (validation.min !== undefined || validation.max !== undefined)))

/** Returns the error of a number that does not follow the rules of its question, if any. */
export function validateNumber({ min, max, also, step, decimals }: Question, value: number): ValueError | undefined {
  if (also?.includes(value)) return undefined
  if (min !== undefined && value < min) return answerError('too_small', { min })
  if (max !== undefined && value > max) return answerError('too_large', { max })
  if (decimals !== undefined && decimalsOf(value) > decimals)
    return decimals === 0 ? answerError('not_an_integer') : answerError('too_many_decimals', { max: decimals })
  return step === undefined ? undefined : stepError(min ?? 0, max ?? MAX_NUMBER, step, value)
}

/** Removes the rounding errors of sums and products. */
const rounded = (value: number): number => Number(value.toPrecision(12))

function stepError(min: number, max: number, step: number, value: number): ValueError | undefined {
  const steps = rounded((value - min) / step)
  if (Number.isInteger(steps)) return undefined
  const [below, above] = [Math.floor(steps), Math.ceil(steps)].map((count) => rounded(min + count * step))
  return answerError('invalid_step', { below: below!, above: Math.min(above!, max) })
}
