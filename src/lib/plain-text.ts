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
