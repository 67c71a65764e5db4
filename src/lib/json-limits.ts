/** Maximum depth of nested arrays and objects. A deeper value would overflow the stack of recursive functions. */
export const MAX_DEPTH = 64

/**
 * Maximum number of values in a JSON text. Each value takes a few microseconds to parse and check, which blocks other
 * requests: ten megabytes of `[],[],[]` contain three million values. The largest possible structure has 5,000
 * questions; this limit allows 20 values for each question.
 */
export const MAX_VALUES = 100_000

/** The error message for each limit of {@link exceededJsonLimit}. */
export const JSON_LIMIT_MESSAGES = {
  depth: `must be nested at most ${MAX_DEPTH} levels deep`,
  values: `must have at most ${MAX_VALUES.toLocaleString('en')} values`,
} as const

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns the limit that JSON texts exceed: together they have more than {@link MAX_VALUES} values, or one of them is
 * deeper than {@link MAX_DEPTH}. Takes a fraction of the time of parsing. If the texts together are too short to
 * contain so many values, nothing is checked, not even the depth. The result for a text that is not JSON is
 * unspecified.
 */
export function exceededJsonLimit(...texts: readonly string[]): keyof typeof JSON_LIMIT_MESSAGES | undefined {
  let length = 0
  for (const text of texts) length += text.length
  if (length <= MAX_VALUES) return undefined
  let values = 0
  for (const text of texts) {
    const counted = countValues(text, values)
    if (typeof counted === 'string') return counted
    values = counted
  }
  return undefined
}

/**
 * Adds the number of values in a JSON text to the number of values in the texts before it.
 * @returns the sum, or the limit that is exceeded
 */
function countValues(text: string, others: number): number | keyof typeof JSON_LIMIT_MESSAGES {
  let [depth, values] = [0, others + 1]
  for (let position = 0; position < text.length; position++) {
    switch (text.charCodeAt(position)) {
      case QUOTE:
        position = endOfText(text, position)
        break
      case COMMA:
        if (++values > MAX_VALUES) return 'values'
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return 'depth'
        if (++values > MAX_VALUES) return 'values'
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
    }
  }
  return values
}

/** Returns the position of the closing quotation mark of a string, or the end of the text if there is none. */
function endOfText(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === QUOTE) return position
    if (code === BACKSLASH) position++
  }
  return text.length
}
