const MINUTE_MS = 60_000
const UNITS: Readonly<Record<string, number>> = {
  w: 7 * 24 * 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  h: 60 * MINUTE_MS,
  m: MINUTE_MS,
}
/** Ten years. */
export const MAX_DELAY_MS = 3650 * UNITS.d!

const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/
const DURATION_PART = /(\d+(?:\.\d+)?)([wdhm])[ +]*/y

/**
 * Parses the delay of an email (docs/specification.md 9.6): a sum of numbers, each with a unit, `w`, `d`, `h` or `m`,
 * such as `1w2d` or `1h 30m`; a plain number means days. The parts can be separated by `+` or spaces.
 * @returns milliseconds; undefined for any other text
 */
export function delayOf(text: string): number | undefined {
  const trimmed = text.trim()
  if (PLAIN_NUMBER.test(trimmed)) return Math.round(Number(trimmed) * UNITS.d!)
  let sum = 0
  let position = 0
  while (position < trimmed.length) {
    DURATION_PART.lastIndex = position
    const [part, number, unit] = DURATION_PART.exec(trimmed) ?? []
    if (part === undefined) return undefined
    sum += Number(number) * UNITS[unit!]!
    position += part.length
  }
  return trimmed === '' || /[ +]$/.test(trimmed) ? undefined : Math.round(sum)
}
