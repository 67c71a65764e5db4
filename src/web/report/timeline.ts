import type { ReportDays } from '../../domain/report/queries.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { dayText } from '../layout/time-tag.ts'
import { isDeferred } from './deferred.ts'
import { figure } from './figure.ts'
import { daysFor, downloadsOf, type ReportRequest } from './report-request.ts'

/** The path of the page with the responses by day, relative to the report. */
export const DAYS_PATH = 'days/'

/** Returns the responses by day; undefined if the report loads them later. */
export const immediateDays = (report: ReportRequest): Promise<ReportDays | undefined> =>
  isDeferred(report) ? Promise.resolve(undefined) : daysFor(report)

/** Renders the line chart of responses by day. */
export function timelineView(report: ReportRequest, { days, timeZone }: ReportDays): Html {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (!first || !last) return html`<p>No responses yet.</p>`
  return html`<p class="soft">${
    first === last
      ? html`On <span class="nowrap">${dayText(first)}</span>`
      : html`From <span class="nowrap">${dayText(first)}</span> to <span class="nowrap">${dayText(last)}</span>, by day (${timeZone.replaceAll('_', ' ')})`
  }</p>${figure({ kind: 'timeline', days, timeZone }, t('Responses by day'), downloadsOf(report, DAYS_PATH))}`
}
