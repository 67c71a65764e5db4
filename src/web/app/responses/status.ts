import { STATE_LABELS } from '../../../domain/structure/meta-fields.ts'
import { type Html, html } from '../../../lib/html.ts'

/** The status as a mark; told by its word and not by its colour. */
export const statusTag = (completed: number): Html =>
  html`<span class="${completed === 1 ? 'tag done' : 'tag open'}">${STATE_LABELS[completed] ?? String(completed)}</span>`
