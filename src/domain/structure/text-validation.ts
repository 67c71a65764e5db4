import type { Questionnaire, Validation, ValidationKind } from './questionnaire.ts'
import { textIn } from './text.ts'

/** How each kind is told and what it is called. Every pattern reads a text once: no input makes one slow. */
const kindRules: Readonly<Record<ValidationKind, { fits: (text: string) => boolean; message: string }>> = {
  email: { fits: isEmail, message: 'The answer has to be an e-mail address.' },
  integer: { fits: (text) => /^[+-]?\d{1,300}$/.test(text), message: 'The answer has to be a whole number.' },
  number: { fits: (text) => !Number.isNaN(numberIn(text)), message: 'The answer has to be a number.' },
  url: { fits: isUrl, message: 'The answer has to be a web address such as https://example.org.' },
  phone: { fits: isPhone, message: 'The answer has to be a telephone number.' },
  letters: {
    fits: (text) => /^[\p{L}\p{M}]+(?:[ '’-][\p{L}\p{M}]+)*$/u.test(text),
    message: 'The answer may hold letters only.',
  },
}

/** The kinds of text validation an author may ask for. */
export const validationKinds = Object.keys(kindRules)

/**
 * What is wrong with a text that was answered, or nothing. The author's own message stands for all of ours.
 * Blanks around the text do not count.
 */
export function checkText(
  validation: Validation | undefined,
  answer: string,
  q: Questionnaire,
  language: string,
): string | undefined {
  if (!validation) return undefined
  const wrong =
    kindFault(validation, answer.trim()) ?? rangeFault(validation, answer.trim()) ?? lengthFault(validation, answer)
  return wrong && ((validation.message && textIn(validation.message, language, q)) || wrong)
}

function kindFault({ kind }: Validation, text: string): string | undefined {
  const rule = kind && kindRules[kind]
  return rule && !rule.fits(text) ? rule.message : undefined
}

function rangeFault({ min, max }: Validation, text: string): string | undefined {
  if (min === undefined && max === undefined) return undefined
  const value = numberIn(text)
  if (Number.isNaN(value)) return kindRules.number.message
  if (min !== undefined && value < min) return `The answer has to be at least ${min}.`
  return max !== undefined && value > max ? `The answer has to be at most ${max}.` : undefined
}

function lengthFault({ minLength, maxLength }: Validation, text: string): string | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined
  const length = characters(text)
  if (minLength !== undefined && length < minLength) return `The answer has to have at least ${minLength} characters.`
  return maxLength !== undefined && length > maxLength
    ? `The answer has to have at most ${maxLength} characters.`
    : undefined
}

/** Code points, so that one emoji is not two characters; a line break counts once however a browser sends it. */
function characters(text: string): number {
  let count = 0
  for (const character of text.replaceAll('\r\n', '\n')) if (character) count++
  return count
}

/** The number written, with a point or (as half of Europe writes) a comma; NaN when there is none. */
function numberIn(text: string): number {
  return /^[+-]?(?:\d{1,300}(?:[.,]\d{0,300})?|[.,]\d{1,300})(?:[eE][+-]?\d{1,3})?$/.test(text)
    ? Number(text.replace(',', '.'))
    : Number.NaN
}

/** RFC 5321 lengths; a domain of at least two labels. */
function isEmail(text: string): boolean {
  if (text.length > 254) return false
  const [local = '', domain = '', ...more] = text.split('@')
  return (
    more.length === 0 &&
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

/** Digits as E.164 allows them, with the signs people write between. */
function isPhone(text: string): boolean {
  if (text.length > 40 || !/^\+?[\d\s().\-/]+$/.test(text)) return false
  const digits = text.replace(/\D/g, '').length
  return digits >= 3 && digits <= 15
}
