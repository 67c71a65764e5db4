import type { ChoiceList } from './choices.ts'

/** A number of digits. */
const DIGITS = /^\^?\(?(?:\[0-9\]|\\d)(?:\{(\d{1,3})(?:,(\d{0,3}))?\}|(\+))\)?\$?$/

/**
 * Recognises the usual regular expressions: those for email addresses, and those that fix or limit the number of
 * digits. Regular expressions of a form are never executed.
 */
export function addPattern(limits: Limits, pattern: string, { answer }: Constrained): boolean {
  if (answer !== 'text') return false
  if (pattern.includes('@')) {
    if (pattern.length > 500 || !isEmailPattern(pattern)) return false
    limits.validation.kind = 'email'
    limits.simplified = 'The pattern was replaced with the check for email addresses.'
    return true
  }
  const [, least = '1', most, plus] = DIGITS.exec(pattern) ?? []
  if (!DIGITS.test(pattern)) return false
  limits.validation.kind = 'integer'
  // Digits have no sign.
  setRange(limits.validation, 'min', 'max', { min: 0 })
  const max = plus ? undefined : most === undefined ? Number(least) : most === '' ? undefined : Number(most)
  setRange(limits.validation, 'minLength', 'maxLength', { min: Number(least), ...(max !== undefined && { max }) })
  return true
}

/**
 * Reports whether a pattern has repeated characters, an `@` outside of brackets, and a domain with a dot after it. Other
 * patterns that contain `@` mean something else, such as the name of an account.
 */
function isEmailPattern(pattern: string): boolean {
  const at = outsideOfBrackets(pattern).indexOf('@')
  if (at < 1) return false
  const [local, domain] = [pattern.slice(0, at), pattern.slice(at + 1)]
  const repeats = (part: string) => /(?:\]|\\[wS]|\.|\))(?:[+*]|\{\d{1,3},\d{0,3}\})/.test(part)
  return repeats(local) && repeats(domain) && admitsDot(domain)
}

/** Reports whether a part of a pattern can match a dot. */
const admitsDot = (pattern: string): boolean =>
  /\\\.|\\S|\[(?!\^)[^\]]*\.[^\]]*\]|\[\^[^\].]*\]/.test(pattern) ||
  /(?<!\\)\./.test(pattern.replace(/\[[^\]]*\]/g, ''))

/** Replaces everything in brackets, so that `@` in a class of characters is not found. */
const outsideOfBrackets = (pattern: string): string =>
  pattern.replace(/\\.|\[\^?\]?[^\]]*\]/g, (part) => (part === '\\@' ? '@@' : '_'.repeat(part.length)))

export function setRange<Min extends string, Max extends string>(
  owner: { [Name in Min | Max]?: number },
  min: Min,
  max: Max,
  range: { min?: number; max?: number },
): void {
  const bounds = owner as Record<Min | Max, number | undefined>
  if (range.min !== undefined) bounds[min] = Math.max(bounds[min] ?? range.min, range.min)
  if (range.max !== undefined) bounds[max] = Math.min(bounds[max] ?? range.max, range.max)
}

/** The question of a constraint. */
export interface Constrained {
  answer: 'text' | 'integer' | 'decimal' | 'date' | 'multiple' | 'other'
  list?: ChoiceList | undefined
  /** The names of rows whose value is the day of the response. */
  todays?: ReadonlySet<string>
}

/** The rules of a constraint, as members of a question. */
export interface Limits {
  validation: { kind?: string; min?: number; max?: number; minLength?: number; maxLength?: number }
  /** Single numbers outside of the range that are accepted as well. */
  also: readonly number[]
  minSelected?: number
  maxSelected?: number
  /** The first and the last date, see {@link dateOf}. */
  first?: string
  last?: string
  /** Positions of choices that cannot be combined with others. */
  exclusive: number[]
  /** What the rules accept beyond the constraint; undefined if they accept the same. */
  simplified: string | undefined
  /** Whether a part of the constraint could not be converted. */
  incomplete: boolean
}
