/** Widths of characters as parts of the font size, rounded up: the font of the reader is unknown. */
const widths: readonly [RegExp, number][] = [
  [/[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]|\p{Extended_Pictographic}/u, 1],
  [/[\p{Mn}\u200b-\u200f]/u, 0],
  [/[ijl.,:;|!'’`()[\]{}\s]/u, 0.38],
  [/[mwMW%@&—]/u, 0.95],
  [/\p{Lu}/u, 0.72],
]
const USUAL = 0.62

/** About how wide a text is, in pixels. */
export function widthOf(text: string, size: number): number {
  let width = 0
  for (const character of text) width += widths.find(([pattern]) => pattern.test(character))?.[1] ?? USUAL
  return width * size
}

/** As much of a text as fits, with … where something is left out. */
export function clipped(text: string, width: number, size: number): string {
  if (widthOf(text, size) <= width) return text
  let room = width - widthOf('…', size)
  let kept = ''
  for (const character of text) {
    room -= widthOf(character, size)
    if (room < 0) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/**
 * A text in lines that fit, broken at spaces, in words only where one alone is too long.
 * @param most lines; the last one ends with … when there would be more
 */
export function wrapped(text: string, width: number, size: number, most: number): string[] {
  const words = text.trim().split(/\s+/)
  const found: string[] = []
  let line = ''
  while (words.length > 0) {
    const word = words[0]!
    const longer = line ? `${line} ${word}` : word
    if (widthOf(longer, size) <= width) {
      line = longer
      words.shift()
    } else if (found.length === most - 1) {
      return [...found, clipped(longer, width, size).replace(/…?$/, '…')]
    } else if (line) {
      found.push(line)
      line = ''
    } else {
      const [head, tail] = broken(word, width, size)
      found.push(head)
      words[0] = tail
    }
  }
  return [...found, line]
}

/** A word that is too long for a line, in two; the first part has at least one character. */
function broken(word: string, width: number, size: number): [string, string] {
  const characters = Array.from(word)
  let end = 1
  while (end < characters.length - 1 && widthOf(characters.slice(0, end + 1).join(''), size) <= width) end += 1
  return [characters.slice(0, end).join(''), characters.slice(end).join('')]
}
