import type { Day } from '../../domain/report/days.ts'
import type { Results } from '../../domain/report/queries.ts'
import { WITH_INCOMPLETE } from '../../domain/report/show.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { addressOf } from './conditions.ts'
import { lateView } from './deferred.ts'
import type { Voice } from './i18n.ts'
import { countText } from './plot.ts'
import { questionView } from './question.ts'
import type { ReportRequest } from './report-request.ts'
import type { Spreads } from './spread.ts'
import { DAYS, timelineView } from './timeline.ts'

interface Shown {
  results: Results
  /** Absent: they are still to be counted. */
  days: readonly Day[] | undefined
  spreads: Spreads | undefined
  voice: Voice
}

/** All that a report says: how many, when, and each question. */
export function reportContent(looking: ReportRequest, { results, days, spreads, voice }: Shown): Html {
  const { responses, questions, latest } = results
  if (responses.total === 0) return html`<section class="card"><h2>No responses</h2>${emptyView(looking)}</section>`
  return html`${summaryView(looking, responses, days)}
${questions.length === 0 && html`<section class="card"><p>This survey has no questions yet.</p></section>`}
${questions.map((figures, at) => questionView(figures, at + 1, looking, { voice, latest, spreads }))}`
}

function emptyView({ own, conditions, survey, design, base, language }: ReportRequest): Part {
  if (conditions.length > 0) return html`<p>No responses match these filters. Remove a filter to see more.</p>`
  if (design.query !== '') return html`<p>No responses match this report’s filter.</p>`
  if (!own) return html`<p>No complete responses yet.</p>`
  if (survey.responses > 0)
    return html`<p>No complete responses yet. <a href="${addressOf(base, [WITH_INCOMPLETE], language)}">Include incomplete responses</a></p>`
  return html`<p>No responses yet. ${
    survey.live
      ? html`Charts appear after the first response. <a href="/account/surveys/${survey.id}/">Get the survey link</a>`
      : html`The survey is closed. <a href="/account/surveys/${survey.id}/">Open it</a> to collect responses.`
  }</p>`
}

/** Says when incomplete responses are left out, with the way to count them. */
function incompleteView(looking: ReportRequest, counted: number): Part {
  const { own, base, conditions, language, design } = looking
  if (counted > 0 || [...conditions, ...design.query.split('&')].some((pair) => /^_completed/.test(pair))) return null
  return html`<p class="soft">Incomplete responses are not included.${
    own &&
    html` <a href="${addressOf(base, [...conditions, WITH_INCOMPLETE], language)}">Include incomplete responses</a>`
  }</p>`
}

function summaryView(
  looking: ReportRequest,
  { total, complete, incomplete, terminated }: Results['responses'],
  days: Shown['days'],
): Html {
  const parts: [string, number][] = [
    ['complete', complete],
    ['incomplete', incomplete],
    ['terminated', terminated],
  ]
  return html`<section class="card" aria-labelledby="summary"><h2 id="summary">${countText(total)} ${total === 1 ? 'response' : 'responses'}</h2>
<p class="soft">${parts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${countText(count)} ${name}`)
    .join(', ')}${!looking.survey.live && ' · survey closed'}</p>
${incompleteView(looking, incomplete)}
${days ? timelineView(looking, days) : lateView(looking, `${DAYS}/`, 'Responses by day')}</section>`
}
