import { type Html, html } from '../../lib/html.ts'
import { backLink } from '../layout/parts.ts'
import { type ReportRequest, reportPath } from './report-request.ts'

/**
 * If a survey has more responses than this, its report first leaves out the parts for which the server has to read
 * every response. The script of the report loads these parts afterwards. Without the script, readers open them with a
 * link.
 */
const MAX_IMMEDIATE_RESPONSES = 100_000

export const isDeferred = ({ survey }: ReportRequest): boolean => survey.responses > MAX_IMMEDIATE_RESPONSES

/**
 * Renders the placeholder for a part that is loaded later.
 * @param path the path of the page with this part, relative to the report
 */
export const deferredView = (report: ReportRequest, path: string, name: string): Html =>
  html`<p data-deferred>
    <a href="${reportPath(report, path)}">${name}</a> <span class="soft" data-progress role="status"></span>
  </p>`

/** A page that contains one part of a report and a link to the report. */
export interface StandalonePage {
  title: string
  beforeHeading: Html
  content: Html
}

/**
 * Returns the page with a part that the report loads later. The script copies the content of this page to the report.
 */
export const standalonePage = (report: ReportRequest, title: string, content: Html): StandalonePage => ({
  title,
  beforeHeading: backLink(reportPath(report), report.title),
  content: html`<section class="card" aria-label="${title}"><div data-deferred-content>${content}</div></section>`,
})
