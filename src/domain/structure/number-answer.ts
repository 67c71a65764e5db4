import type { ValueError } from '../field-error.ts'
import { answerError } from './answer-error.ts'
import { MAX_DECIMALS, MAX_NUMBER } from './kind-settings.ts'
import type { Question } from './questionnaire.ts'

/** Number of significant digits that a stored number keeps exactly. */
const MAX_DIGITS = 15

/** Parses the answer to a number question: a JSON number, or a text with a decimal point or comma. */
export function parseNumber(value: unknown): { value: number } | { error: ValueError } {
  const text = typeof value === 'string' ? value.trim().replace(',', '.').replace('\u2212', '-') : value
  if (typeof text === 'string' && !/^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})$/.test(text))
    return { error: answerError('not_a_number') }
  const number = typeof text === 'number' || typeof text === 'string' ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) return { error: answerError('not_a_number') }
  const written = typeof text === 'string' ? text : String(number)
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

/** Returns the error of a number that does not follow the rules of its question, if any. */
export function validateNumber({ min, max, step, decimals }: Question, value: number): ValueError | undefined {
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
