import type { Day } from '../../domain/report/days.ts'
import { type Html, html } from '../../lib/html.ts'
import { isLate } from './deferred.ts'
import { figure } from './figure.ts'
import { daysFor, partOf, type ReportRequest } from './report-request.ts'

/** Under a report's path: responses by day. */
export const DAYS = 'days'

/** The days of a report, unless counting them would keep its reader waiting. */
export const daysInTime = (looking: ReportRequest): Promise<Day[] | undefined> =>
  isLate(looking) ? Promise.resolve(undefined) : daysFor(looking)

/** Responses by day as a line. */
export function timelineView(looking: ReportRequest, days: readonly Day[]): Html {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (!first || !last) return html`<p>No responses yet.</p>`
  const downloads = {
    svg: partOf(looking, `${DAYS}/chart.svg`),
    png: partOf(looking, `${DAYS}/chart.png`),
    csv: partOf(looking, `${DAYS}/numbers.csv`),
  }
  return html`<p class="soft">${
    first === last
      ? html`On <span class="whole">${first}</span>`
      : html`From <span class="whole">${first}</span> to <span class="whole">${last}</span>, by day (UTC)`
  }</p>${figure({ kind: 'timeline', days }, 'Responses by day', downloads)}`
}
