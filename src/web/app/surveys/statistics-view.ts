import { percentage } from '../../../domain/report/question-stats.ts'
import type { StatisticsPage, SurveyStatistics } from '../../../domain/report/statistics.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/time-tag.ts'
import { figure } from '../../report/figure.ts'
import type { Localize } from '../../report/localize.ts'
import { countText, percentText } from '../../report/plot.ts'
import { durationText } from '../responses/duration.ts'
import { statusTag } from '../responses/status.ts'

/** Renders the key figures of a survey. */
export function keyFiguresView(statistics: SurveyStatistics, responsesPath: string): Html {
  const { responses, completionRate, medianSeconds, lastResponseAt } = statistics
  const { total, complete, incomplete, terminated } = responses
  const parts = [
    t('{value} complete', { value: countText(complete) }),
    t('{value} incomplete', { value: countText(incomplete) }),
    ...(terminated > 0 ? [t('{value} screened out', { value: countText(terminated) })] : []),
  ]
  const figures: [label: string, value: Part, note: Part][] = [
    [t('Responses'), html`<a href="${responsesPath}">${countText(total)}</a>`, parts.join(', ')],
    [
      t('Completion rate'),
      completionRate === null ? '–' : percentText(completionRate),
      t('of responses that were not screened out'),
    ],
    [
      t('Median time'),
      medianSeconds === null ? '–' : durationText(Math.round(medianSeconds)),
      medianSeconds === null ? t('not recorded') : t('for the latest complete responses'),
    ],
    [t('Latest response'), lastResponseAt === null ? '–' : timeTag(lastResponseAt), null],
  ]
  return html`<dl class="key-figures">${figures.map(
    ([label, value, note]) =>
      html`<div class="card"><dt>${label}</dt><dd>${value}</dd>${note !== null && html`<dd class="soft">${note}</dd>`}</div>`,
  )}</dl>`
}

/** Renders the chart and the table of responses by day. */
export function daysView({ days, timeZone }: SurveyStatistics): Html {
  const started = days.reduce((sum, { started }) => sum + started, 0)
  const title = t('Responses in the last {length} days', { length: days.length })
  return html`<section class="card" aria-labelledby="days"><h2 id="days">${title}</h2>${
    started === 0
      ? html`<p class="soft">No responses were started in this period.</p>`
      : figure(
          { kind: 'timeline', timeZone, days: days.map(({ date, started }) => ({ day: date, count: started })) },
          title,
        )
  }</section>`
}

/**
 * Renders how many respondents submitted each page, and how many stopped after that page. Renders nothing if the survey
 * has only one page or if no page was submitted.
 */
export function dropOffView({ pages }: SurveyStatistics, localize: Localize): Part {
  const most = Math.max(0, ...pages.map(({ submitted }) => submitted))
  if (pages.length < 2 || most === 0) return null
  const nameOf = ({ number, title }: StatisticsPage) => {
    const text = localize(title)
    return text ? `${number}. ${text}` : t('Page {number}', { number })
  }
  return html`<section class="card"><h2 id="drop-off">Drop-off by page</h2>
<div class="data-table" tabindex="0" role="region" aria-labelledby="drop-off"><table class="drop-off"><thead><tr><th scope="col">Page</th><th scope="col">Submitted</th><td></td><th scope="col">Stopped after this page</th></tr></thead>
<tbody>${pages.map(
    (page) =>
      html`<tr><th scope="row">${nameOf(page)}</th><td>${countText(page.submitted)}</td><td class="bar-cell">${barView(page.submitted / most)}</td><td>${stoppedText(page)}</td></tr>`,
  )}</tbody></table></div>
<p class="soft below">Respondents are counted when they submit their first page. Visits without a submitted page, responses from the API and imported responses whose file does not list the pages viewed are not counted. Some respondents counted as stopped may still be answering.</p></section>`
}

const stoppedText = ({ submitted, stopped }: StatisticsPage): string =>
  stopped === 0 ? '0' : `${countText(stopped)} (${percentText(percentage(stopped, submitted))})`

/** Renders a bar whose length shows a share from 0 to 1. */
export const barView = (share: number): Html =>
  html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="bar-mark" width="${(share * 100).toFixed(1)}" height="8"/></svg>`

/** Renders the latest responses, each with a link. */
export const latestView = (rows: readonly StoredResponse[], responsesPath: string): Html =>
  html`<section class="card" aria-labelledby="latest"><div class="line"><h2 id="latest">Latest responses</h2><a href="${responsesPath}">All responses</a></div>
<ul class="rows compact">${rows.map(
    ({ id, number, completed, created_at }) =>
      html`<li><a href="${responsesPath}${id}/">Response ${number}</a>${statusTag(completed)}<span class="soft">${timeTag(new Date(created_at))}</span></li>`,
  )}</ul></section>`
