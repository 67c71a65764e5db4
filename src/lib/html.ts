import { raw, html as tagged } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that is safe to send. */
export type Html = HtmlEscapedString

/** What may stand in a template: text is escaped, markup is not, nothing prints nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** Markup from a template; every text put into it is escaped on its way in (https://hono.dev/docs/helpers/html). */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => tagged(strings, ...parts) as Html

/** Takes text for markup as it is: only for what was cleaned, or made of cleaned and escaped parts. */
export const trusted = (markup: string): Html => raw(markup) as Html
