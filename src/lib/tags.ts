const OPENS = /[a-z!?]/i
const NO_TAG = 0
const ENDLESS = -1

/**
 * The text without HTML tags and comments; entities and what stands between tags stay. What is no tag stays too: by the
 * HTML standard (13.2.5.6, tag open state) a `<` opens one only before a letter, `/` with a letter, `!` or `?`, so
 * `a < b` and `I <3 you` are text. So is everything from a tag or comment on that never ends: looking on behind it
 * would make the time grow with the square of the length.
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

/** The position behind the tag or comment that begins at `open`. */
function endOfTag(text: string, open: number): number {
  if (text.startsWith('<!--', open)) return behind(text, '-->', open + 4)
  const first = text[open + 1] ?? ''
  if (!OPENS.test(first === '/' ? (text[open + 2] ?? '') : first)) return NO_TAG
  return endOutsideQuotes(text, open + 2)
}

/** Behind the next `>` that is not inside a quoted attribute value; a quote that never closes is no quote. */
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
