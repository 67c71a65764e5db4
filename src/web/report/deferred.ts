import { type Html, html } from '../../lib/html.ts'
import { type ReportRequest, reportPath } from './report-request.ts'

/**
 * Above this number of responses, a report defers the parts that have to read every response. The script of the report,
 * or a link, loads these parts.
 */
const MAX_IMMEDIATE_RESPONSES = 100_000

export const isDeferred = ({ survey }: ReportRequest): boolean => survey.responses > MAX_IMMEDIATE_RESPONSES

/**
 * Renders the placeholder of a deferred part.
 * @param path the path, within the report, of the page with this part
 */
export const deferredView = (report: ReportRequest, path: string, name: string): Html =>
  html`<p data-deferred><a href="${reportPath(report, path)}">${name}</a> <span class="soft" data-progress role="status"></span></p>`

/** Returns the page of a deferred part, from which the script copies the content. */
export const standalonePage = (
  report: ReportRequest,
  title: string,
  content: Html,
): { title: string; content: Html } => ({
  title,
  content: html`<p class="back"><a href="${reportPath(report)}">Back to report</a></p><section class="card" aria-label="${title}"><div data-deferred-content>${content}</div></section>`,
})
