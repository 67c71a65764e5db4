import type { Json } from './operation.ts'

/** How a language writes values. */
export interface Writing {
  text(value: string): string
  key(name: string): string
  word(value: boolean | null): string
  /** What is put around members that stand on one line. */
  padding: string
  /** What ends the last of several lines. */
  last: string
  /** Spaces by which it indents. */
  step: number
}

/** The width of the code column of the reference, in characters. */
const WIDTH = 66

/** Returns a literal in a programming language: on one line if it fits, otherwise with one member per line. */
export function literal(writing: Writing, value: Json, indent = 0, room = WIDTH - indent): string {
  if (typeof value === 'string') return writing.text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean' || value === null) return writing.word(value)
  const parts = Array.isArray(value)
    ? value.map((one) => ({ before: '', one }))
    : Object.entries(value).map(([name, one]) => ({ before: `${writing.key(name)}: `, one }))
  const [open, close, padding] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', writing.padding]
  if (parts.length === 0) return open + close
  const written = parts.map(({ before, one }) => before + literal(writing, one, 0, Number.POSITIVE_INFINITY))
  const line = `${open}${padding}${written.join(', ')}${padding}${close}`
  if (line.length <= room) return line
  const lines = parts.map(({ before, one }) => {
    const inner = indent + writing.step
    return `${' '.repeat(inner)}${before}${literal(writing, one, inner, WIDTH - inner - before.length)}`
  })
  return `${open}\n${lines.join(',\n')}${writing.last}\n${' '.repeat(indent)}${close}`
}
