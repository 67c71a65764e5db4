const OPENS = /[a-z!?]/i

/**
 * The text without HTML tags and comments; entities and what stands between tags stay. What is no tag stays too: by the
 * HTML standard (13.2.5.6, tag open state) a `<` opens one only before a letter, `/` with a letter, `!` or `?`, so
 * `a < b` and `I <3 you` are text, and so is a tag or a comment that never ends.
 */
export function stripTags(text: string): string {
  let kept = ''
  let from = 0
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', open)) {
    const end = endOfTag(text, open)
    if (end > open) {
      kept += text.slice(from, open)
      from = end
    }
    open = Math.max(end, open + 1)
  }
  return kept + text.slice(from)
}

/** The position behind the tag or comment that begins at `open`, or -1 where none does. */
function endOfTag(text: string, open: number): number {
  if (text.startsWith('<!--', open)) return behind(text, '-->', open + 4)
  const first = text[open + 1] ?? ''
  if (!OPENS.test(first === '/' ? (text[open + 2] ?? '') : first)) return -1
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
  return -1
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? -1 : at + mark.length
}
