import { getLocation, parse } from 'jsonc-parser'
import type { Schema } from '../../../domain/structure/schema.ts'
import { type Path, schemasAt } from '../../../domain/structure/schema-at.ts'

/** Something that may stand at a place of the text. */
export interface Offer {
  label: string
  /** JSON to put there. `|` marks where one goes on writing, where that is inside. */
  insert: string
  kind: 'member' | 'value' | 'object'
  info?: string | undefined
}

/** What is offered for a stretch of the text. */
export interface Offers {
  from: number
  to: number
  offers: Offer[]
}

const lenient = { allowTrailingComma: true, disallowComments: false }

/** What the schema knows of the place where somebody writes: members that are not there yet, or values. */
export function offersAt(schema: Schema, text: string, offset: number): Offers | undefined {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset)
  const document: unknown = parse(text, [], lenient)
  const word = wordAround(text, offset)
  const inside = previousNode && previousNode.offset <= offset && offset <= previousNode.offset + previousNode.length
  const range = inside ? { from: previousNode.offset, to: previousNode.offset + previousNode.length } : word
  if (isAtPropertyKey) return { ...range, offers: members(schema, document, path.slice(0, -1), text, range) }
  const offers = values(schema, document, path)
  return offers.length > 0 ? { ...range, offers: offers.map((offer) => amongOthers(offer, text, range)) } : undefined
}

/** A whole object comes with the commas that part it from those before and after. */
function amongOthers(offer: Offer, text: string, { from, to }: { from: number; to: number }): Offer {
  if (offer.kind !== 'object') return offer
  const before = /[}\]"\w]\s*$/.test(text.slice(0, from)) ? ', ' : ''
  const after = /^\s*["{[\w]/.test(text.slice(to)) ? ',' : ''
  return { ...offer, insert: `${before}${offer.insert}${after}` }
}

/** The bare word that is being typed. */
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
): Offer[] {
  const typed = text.slice(from, to).replaceAll('"', '')
  const there = new Set(Object.keys(valueAt(document, path) ?? {}))
  const rest = text.slice(to)
  const named = /^\s*:/.test(rest)
  const comma = !named && /^\s*["{[\w]/.test(rest) ? ',' : ''
  const found = new Map<string, Schema>()
  for (const one of schemasAt(schema, document, path))
    for (const [name, member] of Object.entries(one.properties ?? {})) if (!found.has(name)) found.set(name, member)
  return [...found]
    .filter(([name]) => name === typed || !there.has(name))
    .map(([name, member]) => ({
      label: name,
      insert: named ? JSON.stringify(name) : `${JSON.stringify(name)}: ${blank(schema, member)}${comma}`,
      kind: 'member',
      info: member.description,
    }))
}

/** What a member holds before anything is written. */
function blank(root: Schema, schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const plain = schema.$ref
    ? root.$defs?.[schema.$ref.replace('#/$defs/', '')]
    : schema.anyOf
      ? schema.anyOf[0]
      : schema
  if (plain?.enum || (plain?.examples && plain.type === 'string')) return '"|"'
  const type = Array.isArray(plain?.type) ? plain.type[0] : plain?.type
  return { string: '"|"', array: '[|]', object: '{|}', boolean: 'true' }[String(type)] ?? '|'
}

function values(schema: Schema, document: unknown, path: Path): Offer[] {
  const offers = new Map<string, Offer>()
  const offer = (one: Offer) => offers.has(one.label) || offers.set(one.label, one)
  const here = schemasAt(schema, document, path)
  const info = here.find(({ description }) => description)?.description
  for (const { const: constant, enum: words = [], examples = [], type } of here) {
    for (const value of [
      ...(constant === undefined ? [] : [constant]),
      ...words,
      ...examples,
      ...(type === 'boolean' ? [true, false] : []),
    ]) {
      if (typeof value === 'object' && value !== null) offer({ ...exampleOffer(value), info: undefined })
      else offer({ label: String(value), insert: JSON.stringify(value), kind: 'value', info })
    }
  }
  if (path.at(-1) === 'question' && here.length > 0)
    for (const id of questionIds(document)) offer({ label: id, insert: JSON.stringify(id), kind: 'value', info })
  return [...offers.values()]
}

/** A whole object: of a question its type says what it is. */
function exampleOffer(value: object): Offer {
  const { idname, type } = value as { idname?: unknown; type?: unknown }
  const label = String(idname ?? type ?? `{ ${Object.keys(value).join(', ')} }`)
  return { label, insert: JSON.stringify(value, null, 2).replace('""', '"|"'), kind: 'object' }
}

function valueAt(document: unknown, path: Path): object | undefined {
  let value = document
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step]
  return typeof value === 'object' && value !== null ? value : undefined
}

/** The ids of all questions, for rules. */
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
