/** A range of a text: its offsets in UTF-16 units, and the line and column (from 1) of its start. */
export interface TextRange {
  from: number
  to: number
  line: number
  column: number
}

/** Returns the range between two offsets of a text whose lines end with `\n`. */
export function rangeAt(text: string, from: number, to: number = from): TextRange {
  const before = text.slice(0, from)
  const start = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line += 1
  return { from, to: Math.max(from, to), line, column: from - start + 1 }
}
