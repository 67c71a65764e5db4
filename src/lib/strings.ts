/** A range of a text: its offsets in UTF-16 units, and the line and column (from 1) of its start. */
export interface TextRange {
  from: number
  to: number
  line: number
  column: number
}

/** Returns the range between two offsets of a text whose lines end with `\n`. */
export function rangeAt(text: string, from: number, to: number = from): TextRange {
  const before = text.slice(0, from)
  const start = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line += 1
  return { from, to: Math.max(from, to), line, column: from - start + 1 }
}

/**
 * Returns whether a text contains another text, in time linear in the length of both (Knuth–Morris–Pratt).
 * `String.includes` takes time proportional to the product of their lengths for texts such as bbb…abbb…: seconds for
 * the longest answers.
 */
export function containsText(text: string, term: string): boolean {
  if (term.length > text.length) return false
  const borders = bordersOf(term)
  let matched = 0
  for (let position = 0; position < text.length && matched < term.length; position++) {
    const code = text.charCodeAt(position)
    while (matched > 0 && term.charCodeAt(matched) !== code) matched = borders[matched - 1]!
    if (term.charCodeAt(matched) === code) matched++
  }
  return matched === term.length
}

/** Returns, for each prefix of a text, the length of the longest shorter prefix with which it also ends. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let position = 1; position < text.length; position++) {
    const code = text.charCodeAt(position)
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1]!
    if (text.charCodeAt(length) === code) length++
    borders[position] = length
  }
  return borders
}

/**
 * Returns a text without format characters and outer white space, with the digits of every script as 0 to 9. Pasted
 * texts contain format characters that nobody sees.
 */
export const plainText = (text: string): string => {
  const visible = withoutFormat(text)
  return ASCII.test(visible) ? visible : visible.replace(/(?![0-9])\p{Nd}/gu, digitOf)
}

/** Returns a text without format characters and outer white space. */
export const withoutFormat = (text: string): string =>
  ASCII.test(text) ? text.trim() : text.replace(/\p{Cf}/gu, '').trim()

const ASCII = /^[\0-\x7f]*$/

/** Returns the value of a decimal digit. Unicode assigns the ten digits of a script in order, beginning with 0. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!
  let start = code
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1
  return String((code - start) % 10)
}

/** Writes a number in decimal notation without an exponent: `0.0000001` for 1e-7. */
export function plainNumber(number: number): string {
  const text = String(number)
  const [, sign, first, more = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = `${first}${more}`
  return Number(exponent) < 0
    ? `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits}`
    : sign + digits.padEnd(Number(exponent) + 1, '0')
}
