import { type Html, html } from '../../lib/html.ts'
import { partOf, type ReportRequest } from './report-request.ts'

/**
 * In surveys with more responses than this, what takes a look at every response comes after the rest of a report: by
 * its script, or by a link.
 */
const LATE = 100_000

export const isLate = ({ survey }: ReportRequest): boolean => survey.responses > LATE

/** Stands where something is to be counted yet. @param path of the page that shows it, under the report's */
export const lateView = (looking: ReportRequest, path: string, name: string): Html =>
  html`<p data-late><a href="${partOf(looking, path)}">${name}</a> <span class="soft" data-said role="status"></span></p>`

/** A page of its own for such a part; the script looks for it by its attribute. */
export const latePage = (looking: ReportRequest, title: string, content: Html): { title: string; content: Html } => ({
  title,
  content: html`<p class="back"><a href="${partOf(looking, '')}">Back to report</a></p><section class="card" aria-label="${title}"><div data-awaited>${content}</div></section>`,
})
