/** Crockford's Base32: no letters that look like digits. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const CODE_LENGTH = 8
const SIZE = 2n ** 40n
/**
 * An odd number, which has an inverse modulo {@link SIZE}. Because IDs are multiplied by it, codes of consecutive IDs
 * do not look alike.
 */
const FACTOR = 662_607_015_301n
const INVERSE = inverseOf(FACTOR)

function inverseOf(factor: bigint): bigint {
  let inverse = factor
  // Newton's method doubles the number of correct bits.
  for (let bits = 3; bits < 40; bits *= 2) inverse = (inverse * (2n - factor * inverse)) % SIZE
  return ((inverse % SIZE) + SIZE) % SIZE
}

/** Returns the code of a survey in its short link: 8 letters and digits, which never change. */
export function shortCodeOf(id: number): string {
  let rest = (BigInt(id) * FACTOR) % SIZE
  let code = ''
  for (let length = 0; length < CODE_LENGTH; length += 1) {
    code = DIGITS[Number(rest % 32n)] + code
    rest /= 32n
  }
  return code
}

/**
 * Returns the survey ID that a code contains; undefined for a text that is not a code. Does not check whether the
 * survey exists.
 */
export function idOfShortCode(code: string): number | undefined {
  const digits = Array.from(code.toLowerCase(), (digit) => DIGITS.indexOf(digit))
  if (digits.length !== CODE_LENGTH || digits.includes(-1)) return undefined
  const value = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n)
  return Number((value * INVERSE) % SIZE)
}
