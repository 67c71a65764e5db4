import { html, type Part } from '../../lib/html.ts'

/** Links to the pages of a list before and after. Nothing where there is one page. */
export function pager({
  number,
  total,
  size,
  path,
}: {
  /** From 1. */
  number: number
  total: number
  size: number
  path(number: number): string
}): Part {
  const last = Math.ceil(total / size)
  if (last < 2) return null
  return html`<nav aria-label="Pages" class="pager">${number > 1 && html`<a href="${path(number - 1)}" rel="prev">Previous</a>`}
<span class="soft">Page ${number.toLocaleString('en')} of ${last.toLocaleString('en')}</span>
${number < last && html`<a href="${path(number + 1)}" rel="next">Next</a>`}</nav>`
}

/** A path with its query; what is undefined or empty is left out. */
export function pathWith(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') pairs.set(name, String(value))
  return pairs.size > 0 ? `${path}?${pairs}` : path
}
