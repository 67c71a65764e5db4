import type { Json } from './operation.ts'

/** The syntax of literals in a programming language. */
export interface LiteralSyntax {
  text(value: string): string
  key(name: string): string
  word(value: boolean | null): string
  /** The text around the members of an object on one line. */
  padding: string
  /** The text after the last member if each member has its own line. */
  last: string
  /** The number of spaces per level of indentation. */
  step: number
}

/** The width of the code column of the reference, in characters. */
const WIDTH = 66

/** Returns a literal in a programming language: on one line if it fits, otherwise with one member per line. */
export function literal(syntax: LiteralSyntax, value: Json, indent = 0, width = WIDTH - indent): string {
  if (typeof value === 'string') return syntax.text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean' || value === null) return syntax.word(value)
  const parts = Array.isArray(value)
    ? value.map((item) => ({ before: '', item }))
    : Object.entries(value).map(([name, item]) => ({ before: `${syntax.key(name)}: `, item }))
  const [open, close, padding] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', syntax.padding]
  if (parts.length === 0) return open + close
  const items = parts.map(({ before, item }) => before + literal(syntax, item, 0, Number.POSITIVE_INFINITY))
  const line = `${open}${padding}${items.join(', ')}${padding}${close}`
  if (line.length <= width) return line
  const lines = parts.map(({ before, item }) => {
    const inner = indent + syntax.step
    return `${' '.repeat(inner)}${before}${literal(syntax, item, inner, WIDTH - inner - before.length)}`
  })
  return `${open}\n${lines.join(',\n')}${syntax.last}\n${' '.repeat(indent)}${close}`
}
