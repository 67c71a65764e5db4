/**
 * Widths of characters relative to the font size. They are rounded up, because the font that the browser will use is
 * unknown.
 */
const widths: readonly [RegExp, number][] = [
  [/[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]|\p{Extended_Pictographic}/u, 1],
  [/[\p{Mn}\u200b-\u200f]/u, 0],
  [/[ijl.,:;|!'’`()[\]{}\s]/u, 0.38],
  [/[mwMW%@&—]/u, 0.95],
  [/\p{Lu}/u, 0.72],
]
const DEFAULT_WIDTH = 0.62

/** Returns the estimated width of a text in pixels. */
export function widthOf(text: string, size: number): number {
  let width = 0
  for (const character of text) width += widths.find(([pattern]) => pattern.test(character))?.[1] ?? DEFAULT_WIDTH
  return width * size
}

/** Returns a text that fits a width in pixels. A text that is too long is truncated and ends with an ellipsis. */
export function truncateToWidth(text: string, width: number, size: number): string {
  if (widthOf(text, size) <= width) return text
  let room = width - widthOf('…', size)
  let clippedText = ''
  for (const character of text) {
    room -= widthOf(character, size)
    if (room < 0) break
    clippedText += character
  }
  return `${clippedText.trimEnd()}…`
}

/**
 * Breaks a text at spaces into lines that fit a width in pixels. Breaks inside a word only if the word alone is too
 * long for a line.
 * @param maxLines the maximum number of lines; a longer text ends with an ellipsis
 */
export function wrapText(text: string, width: number, size: number, maxLines: number): string[] {
  const words = text.trim().split(/\s+/)
  const lines: string[] = []
  let line = ''
  while (words.length > 0) {
    const word = words[0]!
    const longer = line ? `${line} ${word}` : word
    if (widthOf(longer, size) <= width) {
      line = longer
      words.shift()
    } else if (lines.length === maxLines - 1) {
      return [...lines, truncateToWidth(longer, width, size).replace(/…?$/, '…')]
    } else if (line) {
      lines.push(line)
      line = ''
    } else {
      const [head, tail] = splitWord(word, width, size)
      lines.push(head)
      words[0] = tail
    }
  }
  return [...lines, line]
}

/**
 * Splits a word that is too long for a line. The first part has at least one character, even if that character is too
 * wide.
 */
function splitWord(word: string, width: number, size: number): [string, string] {
  const characters = Array.from(word)
  let end = 1
  while (end < characters.length - 1 && widthOf(characters.slice(0, end + 1).join(''), size) <= width) end += 1
  return [characters.slice(0, end).join(''), characters.slice(end).join('')]
}
