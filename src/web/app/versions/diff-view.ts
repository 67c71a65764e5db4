import { type Html, html } from '../../../lib/html.ts'
import type { DiffLine } from '../../../lib/line-diff.ts'

const signs = { same: '', removed: '−', added: '+' } as const
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const

/** More lines than these are of no use to anybody. */
const MAX_LINES = 3_000

/** Two texts laid over each other: what is gone and what is new told by signs and words, and by colour besides. */
export function diffView(stretches: readonly (readonly DiffLine[])[], names: { from: string; to: string }): Html {
  if (stretches.length === 0) return html`<p class="soft">The texts are the same.</p>`
  let lines = 0
  const shown = stretches.filter((stretch) => {
    const fits = lines < MAX_LINES
    lines += stretch.length
    return fits
  })
  return html`<table class="diff"><caption>Lines with − are only in <strong>${names.from}</strong>, lines with + only in <strong>${names.to}</strong>.</caption>
<colgroup><col class="number"><col class="number"><col class="sign"><col></colgroup><thead class="hidden"><tr><th scope="col">${names.from}</th><th scope="col">${names.to}</th><th scope="col">Sign</th><th scope="col">Line</th></tr></thead>
${shown.map((lines) => html`<tbody>${lines.slice(0, MAX_LINES).map(lineView)}</tbody>`)}</table>${
    lines > MAX_LINES &&
    html`<p class="soft">There is more: these are the first ${MAX_LINES.toLocaleString('en')} lines or so.</p>`
  }`
}

const lineView = (line: DiffLine): Html =>
  html`<tr class="${line.kind}"><td>${line.kind !== 'added' && line.from}</td><td>${line.kind !== 'removed' && line.to}</td><td aria-hidden="true">${signs[line.kind]}</td><td><span class="hidden">${words[line.kind]}</span>${line.text}</td></tr>`
