import { type Html, html } from './html.ts'

const LINK = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?')\]]/g

/** Returns plain text as markup: a paragraph for each empty line, and addresses as links. */
export const linkedText = (text: string): Html =>
  html`${text
    .trim()
    .split(/\n{2,}/)
    .map(
      (paragraph) => html`<p>${paragraph.split('\n').map((line, at) => [at > 0 && html`<br>`, linkedLine(line)])}</p>
`,
    )}`

function linkedLine(line: string): (Html | string)[] {
  const parts: (Html | string)[] = []
  let at = 0
  for (const { 0: address, index } of line.matchAll(LINK)) {
    parts.push(line.slice(at, index), html`<a href="${address}">${address}</a>`)
    at = index + address.length
  }
  return [...parts, line.slice(at)]
}
