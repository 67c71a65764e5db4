import { AsyncLocalStorage } from 'node:async_hooks'
import { raw, html as tagged } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup without unescaped text. */
export type Html = HtmlEscapedString

/** A value of a template. Text is escaped, markup is not. `undefined`, `null` and `false` print nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** A template whose static markup was replaced, for example with a translation. */
export interface RewrittenTemplate {
  strings: TemplateStringsArray
  /** For each value, its position in the original template. */
  order: readonly number[]
}

/**
 * Returns the template that replaces another one; undefined if the template does not change. The function receives only
 * the static markup of the template, never its values.
 */
export type TemplateRewriter = (strings: TemplateStringsArray) => RewrittenTemplate | undefined

const rewriters = new AsyncLocalStorage<TemplateRewriter | undefined>()

/** Runs a function, and rewrites the templates that it renders. */
export const rewriteTemplates = <Result>(rewriter: TemplateRewriter | undefined, run: () => Result): Result =>
  rewriters.run(rewriter, run)

/**
 * Returns markup from a template; every text value is escaped (https://hono.dev/docs/helpers/html). Line breaks in the
 * template are printed as {@link joinLines} says.
 */
export const html = (template: TemplateStringsArray, ...parts: Part[]): Html => {
  const strings = joined(template)
  const rewritten = rewriters.getStore()?.(strings)
  return (
    rewritten ? tagged(rewritten.strings, ...rewritten.order.map((index) => parts[index])) : tagged(strings, ...parts)
  ) as Html
}

const joinedTemplates = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

/** Returns the joined lines of a template, which are computed only once. */
function joined(template: TemplateStringsArray): TemplateStringsArray {
  let strings = joinedTemplates.get(template)
  if (strings === undefined) {
    const lines = joinLines(template)
    strings = Object.assign(lines, { raw: lines })
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
export const trusted = (markup: string): Html => raw(markup) as Html

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
