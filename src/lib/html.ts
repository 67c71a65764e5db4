import { raw, html as tagged } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup without unescaped text. */
export type Html = HtmlEscapedString

/** A value of a template: text is escaped, markup is not; `undefined`, `null` and `false` print nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** Returns markup from a template; every text value is escaped (https://hono.dev/docs/helpers/html). */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => tagged(strings, ...parts) as Html

/** Returns text as markup without escaping: only for sanitised HTML, or for parts that are sanitised or escaped. */
export const trusted = (markup: string): Html => raw(markup) as Html
