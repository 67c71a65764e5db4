import { randomCode } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

/** Crockford's Base32: no letters that look like digits. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const CODE_LENGTH = 12
const CODE = /^[0-9a-z]{8,12}$/

/** Returns a new code for the short link of a survey, of 60 random bits. */
export const newShortCode = (): string => randomCode(CODE_LENGTH, DIGITS)

/**
 * Before release 0.10, the code of a survey was computed from its id, so strangers could list all surveys. Short links
 * with such codes that were given out remain valid until this time.
 */
const COMPUTED_CODES_UNTIL = new Date('2027-11-28T00:00:00Z')
const COMPUTED_CODE_LENGTH = 8
const SIZE = 2n ** 40n
/** An odd number, which has an inverse modulo {@link SIZE}. */
const FACTOR = 662_607_015_301n
const INVERSE = inverseOf(FACTOR)

function inverseOf(factor: bigint): bigint {
  let inverse = factor
  // Newton's method doubles the number of correct bits.
  for (let bits = 3; bits < 40; bits *= 2) inverse = (inverse * (2n - factor * inverse)) % SIZE
  return ((inverse % SIZE) + SIZE) % SIZE
}

/** Returns the survey ID that a computed code contains; undefined for a text that is not such a code. */
function idOfComputedCode(code: string): number | undefined {
  const digits = Array.from(code, (digit) => DIGITS.indexOf(digit))
  if (digits.length !== COMPUTED_CODE_LENGTH || digits.includes(-1)) return undefined
  const value = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n)
  return Number((value * INVERSE) % SIZE)
}

/** Returns the ID of the survey that a short link leads to, regardless of case; undefined if there is none. */
export async function findByShortCode({ em, now }: PublicContext, text: string): Promise<number | undefined> {
  const code = text.toLowerCase()
  if (!CODE.test(code)) return undefined
  const surveys = em.getKysely<Tables>().selectFrom('survey').select('id')
  const id = now < COMPUTED_CODES_UNTIL ? idOfComputedCode(code) : undefined
  const found = await (id === undefined
    ? surveys.where('short_code', '=', code)
    : surveys.where('id', '=', id).where('has_computed_code', '=', true)
  ).executeTakeFirst()
  return found?.id
}

/** Maximum length including the suffix. */
const MAX_SLUG_CHARACTERS = 80

/**
 * Converts the name of a survey to lower case letters and digits joined by dashes. Removes accents (`Café` → `cafe`).
 * Keeps letters of other scripts, because URLs may contain them percent-encoded.
 */
export function toSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return (
    Array.from(slug.normalize('NFC'))
      .slice(0, MAX_SLUG_CHARACTERS - 10)
      .join('')
      .replace(/-+$/, '') || 'survey'
  )
}

/** Returns the first of `slug`, `slug-1`, `slug-2` … that is not in use (docs/specification.md 1.4). */
export function availableSlug(slug: string, usedSlugs: ReadonlySet<string>): string {
  if (!usedSlugs.has(slug)) return slug
  let suffix = 1
  while (usedSlugs.has(`${slug}-${suffix}`)) suffix += 1
  return `${slug}-${suffix}`
}
