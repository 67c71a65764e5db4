import { html, type Part } from '../../lib/html.ts'
import { pageLanguage } from '../i18n/page-locale.ts'

/** Renders links to the previous and next page of a list. Renders nothing if the list has only one page. */
export function pager({
  number,
  total,
  size,
  path,
}: {
  /** The number of the current page, counted from 1. */
  number: number
  total: number
  size: number
  path(number: number): string
}): Part {
  const last = Math.ceil(total / size)
  if (last < 2) return null
  return html`<nav aria-label="Pages" class="pager">${number > 1 && html`<a href="${path(number - 1)}" rel="prev">Previous</a>`}
<span class="soft">Page ${number.toLocaleString(pageLanguage())} of ${last.toLocaleString(pageLanguage())}</span>
${number < last && html`<a href="${path(number + 1)}" rel="next">Next</a>`}</nav>`
}

/** Returns a path with a query string. Leaves out undefined and empty values. */
export function pathWith(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(name, String(value))
  return params.size > 0 ? `${path}?${params}` : path
}
