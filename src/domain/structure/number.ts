import { plainText } from '../../lib/strings.ts'
import type { ValueError } from '../field-error.ts'
import { answerError } from './answer-error.ts'
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
  const context = { whole: isWhole(question), language: isNumberInput(question) ? undefined : language }
  const reading = readNumber(value, context)
  if (reading && 'readings' in reading) return { error: ambiguousNumber(value, reading.readings) }
  return reading && !reading.number.includes('e')
    ? checkNumber(Number(reading.number), reading.number)
    : { error: answerError('not_a_number') }
}

/** Reports whether the answers to a question are whole numbers. */
const isWhole = ({ decimals, min = 0, step }: Question): boolean =>
  decimals === 0 || (Number.isInteger(step) && Number.isInteger(min))

/** Reports whether a browser submits the number of a number field, which has the same notation in every language. */
export const isNumberInput = ({ step }: Question): boolean => step !== undefined

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

/** The signs with which a language writes numbers. */
interface Notation {
  decimal: string
  group: string
  /** The digits from 0 to 9. */
  digits: readonly string[]
}

const notations = new Map<string, Notation | undefined>()

/**
 * Returns the notation of a language in CLDR; undefined for a language that CLDR does not know. The codes of languages
 * come from structures, so at most as many are cached as a server sees in practice.
 */
function notationOf(language: string): Notation | undefined {
  if (notations.has(language)) return notations.get(language)
  if (notations.size >= MAX_CACHED_LANGUAGES) notations.clear()
  const notation = cldrNotation(language.replaceAll('_', '-'))
  notations.set(language, notation)
  return notation
}

const MAX_CACHED_LANGUAGES = 1_000

function cldrNotation(tag: string): Notation | undefined {
  if (!isKnownLanguage(tag)) return undefined
  const format = new Intl.NumberFormat(tag, { useGrouping: 'always' })
  const parts = new Map(format.formatToParts(1_234_567.5).map(({ type, value }) => [type, value]))
  const digits = Array.from({ length: 10 }, (_, digit) => format.format(digit))
  return { decimal: parts.get('decimal') ?? '.', group: parts.get('group') ?? '', digits }
}

/** Reports whether CLDR has the notation of a language. */
export function isKnownLanguage(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/** Signs that other scripts and keyboards write in place of `.`, `,`, `-` and `+`. */
const SIGNS = new Map([
  ['．', '.'],
  ['，', ','],
  ['،', ','],
  ['\u2212', '-'],
  ['－', '-'],
  ['﹣', '-'],
  ['＋', '+'],
])

/** What a text means as a number, in normal form: digits 0 to 9, a decimal point, no groups, no plus sign. */
type NumberReading =
  | { number: string }
  /** The text can be read in two ways: its sign is a decimal sign, or separates thousands. */
  | { readings: readonly [decimal: string, grouped: string] }

/** How to read a number. */
interface NumberContext {
  /** Whether the number is a whole number, so that a single sign before three digits separates thousands. */
  whole?: boolean
  /** The language of the page on which the number was entered; absent in requests of programs. */
  language?: string | undefined
}

const MAX_NUMBER_CHARACTERS = 700
const SPACE = "[\\s'’ʼ＇٬]"

/**
 * Reads a number in any usual notation (docs/decisions.md 5.12). A sign that groups thousands (`1,234,567`, `1'234.5`) and
 * a decimal sign are told apart by their positions. If the only sign stands before exactly three digits (`50,000`), it
 * groups a whole number; otherwise, the language decides. Without a language, `.` is the decimal sign and `,` is
 * ambiguous.
 * @returns undefined if the text is not a number
 */
export function readNumber(text: string, { whole = false, language }: NumberContext = {}): NumberReading | undefined {
  if (text.length > MAX_NUMBER_CHARACTERS) return undefined
  const plain = plainText(text).replace(/[．，،−－﹣＋]/gu, (sign) => SIGNS.get(sign)!)
  const [, sign, body, exponent = ''] = NUMBER.exec(plain) ?? []
  if (body === undefined) return undefined
  const normal = (digits: string): string => {
    const [, integer = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(digits)!
    return `${sign === '-' ? '-' : ''}${integer || '0'}${fraction && `.${fraction}`}${exponent.toLowerCase()}`
  }
  const mark = decimalMarkOf(body, whole, language)
  if (mark === 'ambiguous') {
    const [integer = '', fraction = ''] = body.split(/[.,]/)
    return { readings: [normal(`${integer}.${fraction}`).replace(/\.?0+$/, ''), normal(integer + fraction)] }
  }
  const [integer = '', fraction, ...rest] = mark === undefined ? [body] : body.split(mark)
  if (rest.length > 0 || !isInteger(integer) || (fraction !== undefined && !/^\d*$/.test(fraction))) return undefined
  if (integer === '' && !fraction) return undefined
  return { number: normal(`${integer.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`) }
}

const NUMBER = /^([+-]?)\s?([\d.,\s'’ʼ＇٫٬]*\d[.,٫]?)((?:[eE][+-]?\d{1,3})?)$/

/** Reports whether a text has digits, in groups of equal signs or without groups. A grouped number begins with 1 to 9. */
const isInteger = (text: string): boolean => /^\d*$/.test(text) || GROUPED.test(text)

/** Groups of three digits, or of two before the last three, as in Hindi. */
const GROUPED = new RegExp(
  `^[1-9](?:\\d{0,2}(${SPACE}|[.,])\\d{3}(?:\\1\\d{3})*|\\d?(${SPACE}|[.,])(?:\\d{2}\\2)+\\d{3})$`,
)

/** Returns the decimal sign of a number; undefined if it has none. */
function decimalMarkOf(body: string, whole: boolean, language: string | undefined) {
  if (body.includes('٫')) return '٫'
  const marks: readonly string[] = body.match(/[.,]/g) ?? []
  const last = marks.at(-1)
  if (last === undefined) return undefined
  const isMixed = marks.some((mark) => mark !== last) || new RegExp(SPACE).test(body)
  if (isMixed) return marks.indexOf(last) === marks.length - 1 ? last : undefined
  if (marks.length > 1) return undefined
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(body)) return last
  if (whole) return undefined
  const notation = language === undefined ? undefined : notationOf(language)
  if (!notation) return last === '.' ? last : 'ambiguous'
  if (notation.decimal === last) return last
  return notation.group === last ? undefined : 'ambiguous'
}

/**
 * Writes a number in normal form with the digits and the decimal sign of a language, without groups, so that a year
 * stays a year. `readNumber` reads it in this language again.
 */
export function writeNumber(number: number | string, language: string): string {
  const text = typeof number === 'string' ? number : decimalText(number)
  const notation = notationOf(language)
  if (!notation) return text
  const written = text.replace('.', notation.decimal)
  return notation.digits[0] === '0' ? written : written.replace(/\d/g, (digit) => notation.digits[Number(digit)]!)
}

/** Writes a number without an exponent. */
const decimalText = (number: number): string => {
  const text = String(number)
  return text.includes('e-') ? number.toFixed(MAX_DECIMALS).replace(/\.?0+$/, '') : text
}

/** Maximum number of decimal places of a number answer. */
export const MAX_DECIMALS = 10

/** Largest absolute value of a number answer and of its limits. Integers up to this value are stored exactly. */
export const MAX_NUMBER = 1e15
