import { type Html, html } from './html.ts'

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
