/** Levels of nested arrays and objects. Deeper ones would overflow the stack of recursive functions. */
export const MAX_DEPTH = 64

/**
 * Values that a JSON text may hold. Each takes a few microseconds to read and check, during which no other request is served:
 * ten megabytes of `[],[],[]` hold three million. The largest possible structure has 5,000 questions; this allows 20 values
 * for each.
 */
export const MAX_VALUES = 100_000

/** The message for a text that {@link exceedsJsonLimits}. */
export const HEAVY = {
  deep: `must not nest deeper than ${MAX_DEPTH} levels`,
  many: `must not hold more than ${MAX_VALUES.toLocaleString('en')} values`,
} as const

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns whether a JSON text holds more than {@link MAX_VALUES} values or nests deeper than {@link MAX_DEPTH}. Costs a fraction
 * of parsing, and nothing for a text too short for so many values. The result for a text that is not JSON is arbitrary.
 */
export function exceedsJsonLimits(text: string): keyof typeof HEAVY | undefined {
  if (text.length <= MAX_VALUES) return undefined
  let [depth, values] = [0, 1]
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at)
        break
      case COMMA:
        if (++values > MAX_VALUES) return 'many'
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return 'deep'
        if (++values > MAX_VALUES) return 'many'
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
    }
  }
  return undefined
}

/** Returns the position of the closing quotation mark of a string, or the end of the text where there is none. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
