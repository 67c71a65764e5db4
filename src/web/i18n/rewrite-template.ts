import type { RewrittenTemplate, TemplateRewriter } from '../../lib/html.ts'

/** Returns the translation of a text; undefined if there is no translation. */
type Lookup = (text: string) => string | undefined

/**
 * Returns a function that translates the static texts of HTML templates. Each template is translated only once, because
 * the translation does not depend on the values in the template.
 */
export function templateTranslator(lookup: Lookup): TemplateRewriter {
  const translated = new WeakMap<readonly string[], RewrittenTemplate | null>()
  return (strings) => {
    let template = translated.get(strings)
    if (template === undefined) {
      template = translateTemplate(strings, lookup) ?? null
      translated.set(strings, template)
    }
    return template ?? undefined
  }
}

/** Translates a template. Returns undefined if no text of the template has a translation. */
export function translateTemplate(strings: readonly string[], lookup: Lookup): RewrittenTemplate | undefined {
  const source = sourceOf(strings)
  let [result, end, isTranslated] = ['', 0, false]
  for (const segment of findSegments(source)) {
    const translation = lookup(segment.text)
    // A segment that starts before `end` is an attribute of an inline element. `fillSegment` has already translated it,
    // together with the text around the element.
    if (translation === undefined || segment.start < end) continue
    result += source.slice(end, segment.start) + fillSegment(segment, translation, lookup)
    end = segment.end
    isTranslated = true
  }
  if (!isTranslated) return undefined
  return splitSource(result + source.slice(end))
}

const fillSegment = ({ values, elements }: Segment, translation: string, lookup: Lookup): string =>
  translation.replace(/\{(\d+)\}|<(\/?)(\d+)>/g, (found, value?: string, slash?: string, element?: string) => {
    if (value !== undefined) return values[Number(value)] ?? found
    const tags = elements[Number(element)]
    if (!tags) return found
    return slash ? tags[1] : translateAttributes(tags[0], lookup)
  })

/** Translates the attributes of a start tag. */
function translateAttributes(tag: string, lookup: Lookup): string {
  let [result, end] = ['', 0]
  for (const segment of findSegments(tag)) {
    const translation = lookup(segment.text)
    if (translation === undefined) continue
    result += tag.slice(end, segment.start) + fillSegment(segment, translation, lookup)
    end = segment.end
  }
  return result + tag.slice(end)
}

/** The static markup of an HTML template, with a marker in place of each value. */
type Source = string

/** A part of a template that is translated as one text. */
interface Segment {
  /** The position of the first character in the source. */
  start: number
  end: number
  /** The text that translators see. It contains `{0}` instead of a value, and `<0>…</0>` instead of inline tags. */
  text: string
  /** The sources of the values, by number. */
  values: readonly string[]
  /** The start and end tags of the inline elements, by number. */
  elements: readonly (readonly [open: string, close: string])[]
}

/** Returns the marker for a value. It contains U+0000, which no template contains. */
const marker = (index: number): string => `\0${index}\0`
const TOKEN = /\0\d+\0|<!--[\s\S]*?-->|<(style|script)\b[\s\S]*?<\/\1>|<[!/]?[a-zA-Z](?:[^<>"]|"[^"]*")*>/g

/** Elements that can occur within a sentence. Any other element ends the sentence. */
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'cite',
  'code',
  'em',
  'i',
  'kbd',
  'q',
  'small',
  'span',
  'strong',
  'time',
])

const ATTRIBUTE = /\b(?:aria-label|title|placeholder|alt|data-busy|data-(?:label|text)[a-z-]*)="([^"]*)"/g
const ATTRIBUTES_ONLY =
  /^(?:\s*[\w:-]+="|\s+(?:data-[\w-]+|autofocus|checked|disabled|hidden|multiple|novalidate|open|readonly|required|selected)(?:\s|\0|$))/

interface Token {
  kind: 'text' | 'value' | 'open' | 'close' | 'break'
  start: number
  end: number
  source: string
  name?: string
}

/** Returns the source of a template. */
export const sourceOf = (strings: readonly string[]): Source =>
  strings.map((string, index) => (index === 0 ? string : marker(index - 1) + string)).join('')

/** Returns the static strings of a source, and the numbers of its values in the order of the source. */
function splitSource(source: Source): RewrittenTemplate {
  const pieces = source.split(/\0(\d+)\0/)
  return {
    strings: pieces.filter((_, index) => index % 2 === 0),
    order: pieces.filter((_, index) => index % 2 === 1).map(Number),
  }
}

const hasLetters = (text: string): boolean => /\p{L}/u.test(text.replace(/\0\d+\0|&\w+;/g, ''))

function tokensOf(source: Source): Token[] {
  const tokens: Token[] = []
  let end = 0
  const push = (kind: Token['kind'], start: number, to: number, name?: string) => {
    if (to > start) tokens.push({ kind, start, end: to, source: source.slice(start, to), ...(name && { name }) })
  }
  for (const { 0: found, index } of source.matchAll(TOKEN)) {
    push('text', end, index)
    const name = /^<\/?([a-z0-9]+)/i.exec(found)?.[1]?.toLowerCase()
    const kind = found.startsWith('\0')
      ? 'value'
      : !name || !INLINE.has(name)
        ? 'break'
        : found.startsWith('</')
          ? 'close'
          : 'open'
    push(kind, index, index + found.length, name)
    end = index + found.length
  }
  push('text', end, source.length)
  return tokens
}

/** Returns the index of the end tag for the start tag at an index; -1 if the tokens do not contain the end tag. */
function endOf(tokens: readonly Token[], at: number): number {
  let depth = 0
  for (let index = at; index < tokens.length; index += 1) {
    const { kind } = tokens[index]!
    if (kind === 'open') depth += 1
    if (kind === 'close' && --depth === 0) return index
  }
  return -1
}

/** Splits tokens at each inline start tag without an end tag, and at each inline end tag without a start tag. */
function balancedRuns(tokens: readonly Token[]): Token[][] {
  const runs: Token[][] = [[]]
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!
    const end = token.kind === 'open' ? endOf(tokens, index) : index
    if (end === -1 || token.kind === 'close') runs.push([])
    else {
      runs.at(-1)!.push(...tokens.slice(index, end + 1))
      index = end
    }
  }
  return runs
}

/**
 * Returns the segments of a run of tokens without block elements. The run is one segment if it has text outside its
 * inline elements. Otherwise each inline element is a segment.
 */
function segmentsOf(tokens: readonly Token[]): Segment[] {
  let outside = ''
  const inner: Token[][] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!
    if (token.kind === 'open') {
      const end = endOf(tokens, index)
      inner.push(tokens.slice(index + 1, end))
      index = end
    } else outside += token.source
  }
  if (!hasLetters(outside)) return inner.flatMap(segmentsOf)
  return [segmentOf(withoutEdges(tokens))]
}

/**
 * Leaves out values at the beginning and the end of a run that are not part of a sentence, such as icons before a label
 * and blocks on lines of their own.
 */
function withoutEdges(tokens: readonly Token[]): readonly Token[] {
  let [from, to] = [0, tokens.length]
  const isBlank = (token: Token | undefined) => token?.kind === 'text' && token.source.trim() === ''
  for (;;) {
    const [first, second] = [tokens[from], tokens[from + 1]]
    const isIcon = first?.kind === 'value' && second?.kind === 'text' && /^(?:[\p{L}\p{Lu}]|\s*\n)/u.test(second.source)
    const isPair = first?.kind === 'value' && second?.kind === 'value'
    if (!isBlank(first) && !isIcon && !isPair) break
    from += 1
  }
  for (;;) {
    const [last, previous] = [tokens[to - 1], tokens[to - 2]]
    const isAppended =
      last?.kind === 'value' && previous?.kind === 'text' && /(?:[\p{L}.!?…]|\n\s*)$/u.test(previous.source)
    if (!isBlank(last) && !isAppended) break
    to -= 1
  }
  return tokens.slice(from, to)
}

function segmentOf(tokens: readonly Token[]): Segment {
  const values: string[] = []
  const elements: [string, string][] = []
  const open: number[] = []
  let text = ''
  for (const { kind, source } of tokens) {
    if (kind === 'text') text += source
    if (kind === 'value') text += `{${values.push(source) - 1}}`
    if (kind === 'open') {
      const number = elements.push([source, '']) - 1
      open.push(number)
      text += `<${number}>`
    }
    if (kind === 'close') {
      const number = open.pop()!
      elements[number]![1] = source
      text += `</${number}>`
    }
  }
  const [leading, trailing] = [/^\s*/.exec(text)![0].length, /\s*$/.exec(text)![0].length]
  return {
    start: tokens[0]!.start + leading,
    end: tokens.at(-1)!.end - trailing,
    text: text.trim().replace(/\s+/g, ' '),
    values,
    elements,
  }
}

/** Returns the texts of the attributes in a tag, or in a template that consists only of attributes. */
function attributesOf(source: Source, start: number): Segment[] {
  return [...source.matchAll(ATTRIBUTE)].flatMap(({ 0: attribute, 1: value = '', index }) => {
    if (!hasLetters(value)) return []
    const from = start + index + attribute.length - value.length - 1
    const values = [...value.matchAll(/\0\d+\0/g)].map(([found]) => found)
    const text = values.reduce((filled, one, number) => filled.replace(one, `{${number}}`), value)
    return [{ start: from, end: from + value.length, text, values, elements: [] }]
  })
}

/**
 * Returns the texts of a template. Text and inline elements between two block elements are one text. Each attribute
 * that users can read, such as a label for screen readers, is a text of its own.
 */
export function findSegments(source: Source): Segment[] {
  if (ATTRIBUTES_ONLY.test(source)) return attributesOf(source, 0)
  const tokens = tokensOf(source)
  const runs: Token[][] = [[]]
  for (const token of tokens)
    if (token.kind === 'break') runs.push([])
    else runs.at(-1)!.push(token)
  const texts = runs.flatMap(balancedRuns).flatMap(segmentsOf)
  const attributes = tokens
    .filter(({ kind }) => kind === 'open' || kind === 'break')
    .flatMap((token) => attributesOf(token.source, token.start))
  return [...texts, ...attributes].sort((one, other) => one.start - other.start)
}
