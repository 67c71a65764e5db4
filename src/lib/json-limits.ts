/** How deep arrays and objects may nest. Deeper ones serve nobody and overflow the stack of whoever walks them. */
export const MAX_DEPTH = 64

/**
 * How many values a JSON text may hold. Reading and checking costs a few millionths of a second for each, during which
 * nobody else is served: ten megabytes of `[],[],[]` hold three millions of them. The largest structure there can be has
 * 5,000 questions; this leaves 20 values for each.
 */
export const MAX_VALUES = 100_000

/** What to say of a text that is {@link exceedsJsonLimits}. */
export const HEAVY = {
  deep: `must not nest deeper than ${MAX_DEPTH} levels`,
  many: `must not hold more than ${MAX_VALUES.toLocaleString('en')} values`,
} as const

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Looks at a JSON text before it is parsed, at a fraction of what parsing costs at worst: whether it holds more than
 * {@link MAX_VALUES} values, or nests deeper than {@link MAX_DEPTH} on the way there. A text too short for so many values is
 * not looked at; what is no JSON gets some answer, too.
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

/** Where the quotation mark stands that closes the text opened at this place; the end of all where there is none. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
