import { createHash } from 'node:crypto'
import type { Structure } from './structure.ts'

/**
 * Returns a JSON value as canonical text (RFC 8785): the members of objects in the order of their names by UTF-16 code
 * units, without white space. Two equal values have the same text, however they were written.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** Returns the SHA-256 of the canonical text of a structure, in hexadecimal: it identifies the content of a version. */
export const structureHash = (structure: Structure): string =>
  createHash('sha256').update(canonicalJson(structure)).digest('hex')
