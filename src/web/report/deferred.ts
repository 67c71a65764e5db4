import { type Html, html } from '../../lib/html.ts'
import { backLink } from '../layout/back-link.ts'
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

/** A page with one part of a report, and a link to the report. */
export interface StandalonePage {
  title: string
  beforeHeading: Html
  content: Html
}

/** Returns the page of a deferred part, from which the script copies the content. */
export const standalonePage = (report: ReportRequest, title: string, content: Html): StandalonePage => ({
  title,
  beforeHeading: backLink(reportPath(report), report.title),
  content: html`<section class="card" aria-label="${title}"><div data-deferred-content>${content}</div></section>`,
})
