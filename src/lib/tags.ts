const OPENS = /[a-z!?]/i
const NO_TAG = 0
const ENDLESS = -1

/**
 * Returns the text without HTML tags and comments; entities and text between tags stay. By the HTML standard (13.2.5.6, tag open
 * state) a `<` opens a tag only before a letter, `/` with a letter, `!` or `?`, so `a < b` and `I <3 you` are text. A tag or
 * comment without an end is text as well: searching behind it would take time quadratic in the length.
 */
export function stripTags(text: string): string {
  let kept = ''
  let from = 0
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', open)) {
    const end = endOfTag(text, open)
    if (end === ENDLESS) break
    if (end === NO_TAG) open += 1
    else {
      kept += text.slice(from, open)
      from = open = end
    }
  }
  return kept + text.slice(from)
}

/** Returns the position after the tag or comment that begins at `open`. */
function endOfTag(text: string, open: number): number {
  if (text.startsWith('<!--', open)) return behind(text, '-->', open + 4)
  const first = text[open + 1] ?? ''
  if (!OPENS.test(first === '/' ? (text[open + 2] ?? '') : first)) return NO_TAG
  return endOutsideQuotes(text, open + 2)
}

/** Returns the position after the next `>` outside a quoted attribute value; an unclosed quotation mark does not count. */
function endOutsideQuotes(text: string, from: number): number {
  for (let at = from, value = false; at < text.length; at += 1) {
    const char = text[at]!
    if (char === '>') return at + 1
    if (value && (char === '"' || char === "'")) {
      const close = text.indexOf(char, at + 1)
      if (close === -1) return behind(text, '>', at + 1)
      at = close
      value = false
    } else if (char === '=') value = true
    else if (!/\s/.test(char)) value = false
  }
  return ENDLESS
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? ENDLESS : at + mark.length
}
