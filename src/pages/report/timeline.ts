import type { Day } from '../../domain/report/days.ts'
import { type Html, html } from '../../lib/html.ts'
import { figure } from './figure.ts'
import { daysFor, type Looking, partOf } from './looking.ts'

/** Under a report's path: responses by day. */
export const DAYS = 'days'

/** Surveys with more responses than this show the chart over time after the rest: every response has to be looked at for it. */
const LATE = 100_000

/** The days of a report, unless counting them would keep its reader waiting. */
export const daysInTime = (looking: Looking): Promise<Day[] | undefined> =>
  looking.survey.responses > LATE ? Promise.resolve(undefined) : daysFor(looking)

/** Responses by day as a line. The script of the page looks for it by its attribute. */
export function timelineView(looking: Looking, days: readonly Day[]): Html {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (!first || !last) return html`<p data-timeline>No responses.</p>`
  const downloads = {
    svg: partOf(looking, `${DAYS}/chart.svg`),
    png: partOf(looking, `${DAYS}/chart.png`),
    csv: partOf(looking, `${DAYS}/numbers.csv`),
  }
  return html`<div data-timeline><p class="soft">${
    first === last
      ? html`On <span class="whole">${first}</span>`
      : html`From <span class="whole">${first}</span> to <span class="whole">${last}</span>, by day (UTC)`
  }</p>${figure({ kind: 'timeline', days }, 'Responses by day', downloads)}</div>`
}

/** The chart over time on a page of its own. */
export async function timelinePage(looking: Looking): Promise<{ title: string; content: Html }> {
  return {
    title: 'Responses by day',
    content: html`<p class="back"><a href="${partOf(looking, '')}">Back to the report</a></p><section class="card" aria-label="Responses by day">${timelineView(looking, await daysFor(looking))}</section>`,
  }
}
