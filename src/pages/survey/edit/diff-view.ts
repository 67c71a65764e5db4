import { type Html, html } from '../../../lib/html.ts'
import type { DiffLine } from '../../../lib/line-diff.ts'

const signs = { same: ' ', removed: '−', added: '+' } as const
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const

/** Two texts laid over each other: what is gone and what is new told by signs and words, and by colour besides. */
export function diffView(stretches: readonly (readonly DiffLine[])[], names: { from: string; to: string }): Html {
  if (stretches.length === 0) return html`<p class="soft">The texts are the same.</p>`
  return html`<table class="diff"><caption>Lines with − are only in <strong>${names.from}</strong>, lines with + only in <strong>${names.to}</strong>.</caption>
<thead class="hidden"><tr><th scope="col">${names.from}</th><th scope="col">${names.to}</th><th scope="col">Line</th></tr></thead>
${stretches.map((lines) => html`<tbody>${lines.map(lineView)}</tbody>`)}</table>`
}

const lineView = (line: DiffLine): Html =>
  html`<tr class="${line.kind}"><td>${line.kind !== 'added' && line.from}</td><td>${line.kind !== 'removed' && line.to}</td><td><span aria-hidden="true">${signs[line.kind]} </span><span class="hidden">${words[line.kind]}</span>${line.text}</td></tr>`
