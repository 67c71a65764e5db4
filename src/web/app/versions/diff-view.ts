import { type Html, html } from '../../../lib/html.ts'
import type { DiffLine } from '../../../lib/line-diff.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'

const SIGNS = { same: '', removed: '−', added: '+' } as const
const SIGN_LABELS = perLanguage(() => ({ same: '', removed: t('removed: '), added: t('added: ') }) as const)

const MAX_LINES = 3_000

/**
 * Renders the differences between two texts line by line. Added and removed lines are marked by plus and minus signs,
 * by colours, and by labels for screen readers.
 */
export function diffView(hunks: readonly (readonly DiffLine[])[], names: { from: string; to: string }): Html {
  if (hunks.length === 0) return html`<p class="soft">No differences.</p>`
  const lines = hunks.reduce((sum, { length }) => sum + length, 0)
  let remaining = MAX_LINES
  const shown = hunks.flatMap((hunk) => {
    const part = hunk.slice(0, remaining)
    remaining -= part.length
    return part.length > 0 ? [part] : []
  })
  return html`<table class="diff"><caption>A line marked − is only in <strong>${names.from}</strong>. A line marked + is only in <strong>${names.to}</strong>.</caption>
<colgroup><col class="number"><col class="number"><col class="sign"><col></colgroup><thead class="hidden"><tr><th scope="col">${names.from}</th><th scope="col">${names.to}</th><th scope="col">Sign</th><th scope="col">Line</th></tr></thead>
${shown.map((part) => html`<tbody>${part.map(lineView)}</tbody>`)}</table>${
    lines > MAX_LINES &&
    html`<p class="soft">Only the first ${MAX_LINES.toLocaleString(pageLanguage())} lines are shown.</p>`
  }`
}

const lineView = (line: DiffLine): Html =>
  html`<tr class="${line.kind}"><td>${line.kind !== 'added' && line.from}</td><td>${line.kind !== 'removed' && line.to}</td><td aria-hidden="true">${SIGNS[line.kind]}</td><td><span class="hidden">${SIGN_LABELS()[line.kind]}</span>${line.text}</td></tr>`
