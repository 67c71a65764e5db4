/**
 * Markup without unescaped text: a template with its values. It becomes text when it is printed, so that the page can
 * have any language.
 */
export class Html {
  readonly strings: readonly string[]
  readonly parts: readonly Part[]
  readonly isTranslatable: boolean

  constructor(strings: readonly string[], parts: readonly Part[], isTranslatable: boolean) {
    this.strings = strings
    this.parts = parts
    this.isTranslatable = isTranslatable
  }

  /** Returns the markup in English. */
  toString(): string {
    return printHtml(this)
  }
}

/** A value of a template. Text is escaped, markup is not. `undefined`, `null` and `false` print nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** A template whose static markup was replaced, for example with a translation. */
export interface RewrittenTemplate {
  strings: readonly string[]
  /** For each value, its position in the original template. */
  order: readonly number[]
}

/**
 * Returns the template that replaces another one; undefined if the template does not change. The function receives only
 * the static markup of the template, never its values.
 */
export type TemplateRewriter = (strings: readonly string[]) => RewrittenTemplate | undefined

/**
 * Returns markup from a template; every text value is escaped. Line breaks in the template are printed as
 * {@link joinLines} says.
 */
export const html = (template: TemplateStringsArray, ...parts: Part[]): Html => new Html(joined(template), parts, true)

/**
 * Returns markup as text.
 * @param rewrite translates the templates; without it, they are in English
 */
export function printHtml({ strings, parts, isTranslatable }: Html, rewrite?: TemplateRewriter): string {
  const rewritten = isTranslatable ? rewrite?.(strings) : undefined
  if (rewritten === undefined) {
    let text = strings[0]!
    for (let index = 0; index < parts.length; index += 1) text += print(parts[index], rewrite) + strings[index + 1]!
    return text
  }
  let text = rewritten.strings[0]!
  for (const [index, position] of rewritten.order.entries())
    text += print(parts[position], rewrite) + rewritten.strings[index + 1]!
  return text
}

function print(part: Part, rewrite: TemplateRewriter | undefined): string {
  if (typeof part === 'string') return escapeText(part)
  if (part instanceof Html) return printHtml(part, rewrite)
  if (Array.isArray(part)) {
    let text = ''
    for (const one of part as readonly Part[]) text += print(one, rewrite)
    return text
  }
  if (part === undefined || part === null || typeof part === 'boolean') return ''
  return escapeText(String(part))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const SPECIAL = /[&<>"']/
const ALL_SPECIAL = /[&<>"']/g

const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (found) => ENTITIES[found]!) : text

const joinedTemplates = new WeakMap<TemplateStringsArray, readonly string[]>()

/** Returns the joined lines of a template, which are computed only once. */
function joined(template: TemplateStringsArray): readonly string[] {
  let strings = joinedTemplates.get(template)
  if (strings === undefined) {
    strings = joinLines(template)
    joinedTemplates.set(template, strings)
  }
  return strings
}

/**
 * Returns the static strings of a template as they are printed. A line break before an indentation is for readers of
 * the source. It prints nothing beside a tag, between two values, and at the beginning and the end. Elsewhere, between
 * words, attributes, or a word and a value, it prints a space. A line break at the left edge is printed.
 */
export function joinLines(strings: readonly string[]): string[] {
  const last = strings.length - 1
  return strings.map((string, index) =>
    string.replace(/\n[ \t]+/g, (found, at: number) => {
      const [before, after] = [string.charAt(at - 1), string.charAt(at + found.length)]
      if (before === '>' || after === '<' || after === '>') return ''
      const atValue = Number(before === '') + Number(after === '')
      const atEdge = (before === '' && index === 0) || (after === '' && index === last)
      return atEdge || atValue === 2 ? '' : ' '
    }),
  )
}

/**
 * Returns the content of a `<textarea>` as markup. There, quotation marks need no escaping, so that a long JSON text
 * stays half as long.
 */
export const textAreaContent = (text: string): Html => trusted(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))

/**
 * Returns text as markup without escaping. Use it only for sanitised HTML, or if all parts are sanitised or escaped.
 */
export const trusted = (markup: string): Html => new Html([markup], [], false)

const LINK = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?')\]]/g

/** Converts plain text to markup: blank lines separate paragraphs, and URLs become links. */
export const linkedText = (text: string): Html =>
  html`${text
    .trim()
    .split(/\n{2,}/)
    .map(
      (
        paragraph,
      ) => html`<p>${paragraph.split('\n').map((line, index) => [index > 0 && html`<br>`, linkedLine(line)])}</p>
`,
    )}`

function linkedLine(line: string): (Html | string)[] {
  const parts: (Html | string)[] = []
  let end = 0
  for (const { 0: address, index } of line.matchAll(LINK)) {
    parts.push(line.slice(end, index), html`<a href="${address}">${address}</a>`)
    end = index + address.length
  }
  return [...parts, line.slice(end)]
}
