const TAG_START = /[a-z!?]/i
const NOT_A_TAG = 0
const UNCLOSED = -1

/**
 * Removes HTML tags and comments from a text. Entities and the text between tags are kept. By the HTML standard
 * (13.2.5.6, tag open state), a `<` opens a tag only if a letter, `/` with a letter, `!` or `?` follows, so `a < b` and
 * `I <3 you` are text. If a tag or comment is never closed, it is kept as text, with everything after it: to search the
 * rest of the text for more tags would take quadratic time.
 */
export function stripTags(text: string): string {
  let result = ''
  let from = 0
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', open)) {
    const end = endOfTag(text, open)
    if (end === UNCLOSED) break
    if (end === NOT_A_TAG) open += 1
    else {
      result += text.slice(from, open)
      from = open = end
    }
  }
  return result + text.slice(from)
}

/** Returns the position after the tag or comment that begins at `open`. */
function endOfTag(text: string, open: number): number {
  if (text.startsWith('<!--', open)) return endOf(text, '-->', open + 4)
  const first = text[open + 1] ?? ''
  if (!TAG_START.test(first === '/' ? (text[open + 2] ?? '') : first)) return NOT_A_TAG
  return endOutsideQuotes(text, open + 2)
}

/**
 * Returns the position after the next `>` that is not in a quoted attribute value. A quotation mark that is never
 * closed is ignored.
 */
function endOutsideQuotes(text: string, from: number): number {
  for (let position = from, inValue = false; position < text.length; position += 1) {
    const char = text[position]!
    if (char === '>') return position + 1
    if (inValue && (char === '"' || char === "'")) {
      const close = text.indexOf(char, position + 1)
      if (close === -1) return endOf(text, '>', position + 1)
      position = close
      inValue = false
    } else if (char === '=') inValue = true
    else if (!/\s/.test(char)) inValue = false
  }
  return UNCLOSED
}

function endOf(text: string, delimiter: string, from: number): number {
  const position = text.indexOf(delimiter, from)
  return position === -1 ? UNCLOSED : position + delimiter.length
}
