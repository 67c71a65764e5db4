import { type Html, html } from '../../../lib/html.ts'

/** What becomes of a response, by `_completed` (specification, "Response (v3 representation)"). */
export const STATUSES = ['Incomplete', 'Complete', 'Terminated'] as const

/** The status as a mark; told by its word and not by its colour. */
export const statusTag = (completed: number): Html =>
  html`<span class="${completed === 1 ? 'tag done' : 'tag open'}">${STATUSES[completed] ?? String(completed)}</span>`
