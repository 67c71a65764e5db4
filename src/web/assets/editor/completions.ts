import { getLocation, parse } from 'jsonc-parser'
import { type Path, resolveRef, type Schema, schemasAt } from '../../../domain/structure/json-schema.ts'
import { questionTypes } from '../../../questions/index.ts'

/** A value or member that the schema allows at a position of the text. */
export interface Suggestion {
  label: string
  /** The JSON to insert. If the cursor has to be inside the inserted text, `|` marks its position. */
  insert: string
  kind: 'member' | 'value' | 'object'
  info?: string | undefined
}

/** Suggestions for one range of the text. The suggestion that the author selects replaces this range. */
export interface Suggestions {
  from: number
  to: number
  suggestions: Suggestion[]
}

const lenient = { allowTrailingComma: true, disallowComments: false }

/** Returns what the schema allows at a position: members that the object does not have yet, or values. */
export function suggestionsAt(schema: Schema, text: string, offset: number): Suggestions | undefined {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset)
  const document: unknown = parse(text, [], lenient)
  const word = wordAround(text, offset)
  const inside = previousNode && previousNode.offset <= offset && offset <= previousNode.offset + previousNode.length
  const range = inside ? { from: previousNode.offset, to: previousNode.offset + previousNode.length } : word
  if (isAtPropertyKey) return { ...range, suggestions: members(schema, document, path.slice(0, -1), text, range) }
  const offers = values(schema, document, path)
  return offers.length > 0
    ? { ...range, suggestions: offers.map((offer) => withCommas(offer, text, range)) }
    : undefined
}

/** Adds the commas that separate an inserted object from the items before and after it. */
function withCommas(offer: Suggestion, text: string, { from, to }: { from: number; to: number }): Suggestion {
  if (offer.kind !== 'object') return offer
  const before = /[}\]"\w]\s*$/.test(text.slice(0, from)) ? ', ' : ''
  const after = /^\s*["{[\w]/.test(text.slice(to)) ? ',' : ''
  return { ...offer, insert: `${before}${offer.insert}${after}` }
}

/** Returns the range of the unquoted word at a position. */
function wordAround(text: string, offset: number): { from: number; to: number } {
  const [before] = /[\w-]*$/.exec(text.slice(0, offset)) ?? ['']
  const [after] = /^[\w-]*/.exec(text.slice(offset)) ?? ['']
  return { from: offset - before.length, to: offset + after.length }
}

function members(
  schema: Schema,
  document: unknown,
  path: Path,
  text: string,
  { from, to }: { from: number; to: number },
): Suggestion[] {
  const typed = text.slice(from, to).replaceAll('"', '')
  const there = new Set(Object.keys(valueAt(document, path) ?? {}))
  const following = text.slice(to)
  const named = /^\s*:/.test(following)
  const comma = !named && /^\s*["{[\w]/.test(following) ? ',' : ''
  const found = new Map<string, Schema>()
  for (const one of schemasAt(schema, document, path))
    for (const [name, member] of Object.entries(one.properties ?? {})) if (!found.has(name)) found.set(name, member)
  return [...found]
    .filter(([name]) => name === typed || !there.has(name))
    .map(([name, member]) => ({
      label: name,
      insert: named ? JSON.stringify(name) : `${JSON.stringify(name)}: ${emptyValue(schema, member)}${comma}`,
      kind: 'member',
      info: member.description,
    }))
}

/** Returns the JSON of an empty value. */
function emptyValue(root: Schema, schema: Schema): string {
  const plain = firstAlternative(root, schema)
  if (plain.const !== undefined) return JSON.stringify(plain.const)
  if (plain.enum || (plain.examples && plain.type === 'string')) return '"|"'
  return { string: '"|"', array: '[|]', object: '{|}', boolean: 'true' }[String(plain.type)] ?? '|'
}

/** Resolves references in a schema, and replaces `anyOf` with its first schema. */
function firstAlternative(root: Schema, schema: Schema): Schema {
  const named = resolveRef(root, schema)
  const inner = named.anyOf?.[0] ?? named
  return inner === schema ? schema : firstAlternative(root, inner)
}

function values(schema: Schema, document: unknown, path: Path): Suggestion[] {
  const offers = new Map<string, Suggestion>()
  const offer = (one: Suggestion) => offers.has(one.label) || offers.set(one.label, one)
  const schemas = schemasAt(schema, document, path)
  const info = schemas.find(({ description }) => description)?.description
  for (const { const: constant, enum: words = [], examples = [], type } of schemas) {
    for (const value of [
      ...(constant === undefined ? [] : [constant]),
      ...words,
      ...examples,
      ...(type === 'boolean' ? [true, false] : []),
    ]) {
      if (typeof value === 'object' && value !== null) offer({ ...exampleSuggestion(value), info: undefined })
      else offer({ label: String(value), insert: JSON.stringify(value), kind: 'value', info })
    }
  }
  if (path.at(-1) === 'idname' && schemas.length > 0)
    for (const kind of Object.keys(questionTypes))
      offer({ label: kind, insert: JSON.stringify(kind), kind: 'value', info })
  if (path.at(-1) === 'question' && schemas.length > 0)
    for (const id of questionIds(document)) offer({ label: id, insert: JSON.stringify(id), kind: 'value', info })
  return [...offers.values()]
}

/** Returns the suggestion for an example object, labelled with the type of the question. */
function exampleSuggestion(value: object): Suggestion {
  const { idname, type } = value as { idname?: unknown; type?: unknown }
  const label = String(idname ?? type ?? `{ ${Object.keys(value).join(', ')} }`)
  return { label, insert: JSON.stringify(value, null, 2).replace('""', '"|"'), kind: 'object' }
}

function valueAt(document: unknown, path: Path): object | undefined {
  let value = document
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step]
  return typeof value === 'object' && value !== null ? value : undefined
}

/** Returns the IDs of all questions, for conditions. */
function questionIds(document: unknown): string[] {
  const ids: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { idname, id } = value as { idname?: unknown; id?: unknown }
    if (typeof idname === 'string' && typeof id === 'string') ids.push(id)
    for (const inner of Object.values(value)) visit(inner)
  }
  visit((document as { form?: unknown } | undefined)?.form)
  return ids
}
