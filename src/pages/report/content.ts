import type { Day } from '../../domain/report/days.ts'
import type { Results } from '../../domain/report/queries.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { figure } from './figure.ts'
import { type Looking, partOf } from './looking.ts'
import { countText } from './plot.ts'
import { questionView } from './question.ts'
import type { Voice } from './voice.ts'

/** The path part of the chart over time, which belongs to no question. A question of this name has its own path. */
export const DAYS = 'days'

interface Shown {
  results: Results
  days: readonly Day[]
  voice: Voice
}

/** All that a report says: how many, when, and each question. */
export function reportContent(looking: Looking, { results, days, voice }: Shown): Html {
  const { responses, questions, latest } = results
  if (responses.total === 0) return html`<section class="card"><h2>No responses</h2>${emptyView(looking)}</section>`
  return html`${summaryView(looking, responses, days)}
${questions.length === 0 && html`<section class="card"><p>This survey has no questions yet.</p></section>`}
${questions.map((figures, at) => questionView(figures, at + 1, looking, { voice, latest }))}`
}

function emptyView({ own, conditions, survey }: Looking): Part {
  if (conditions.length > 0) return html`<p>No response matches these filters. Take one off to see more.</p>`
  if (!own) return html`<p>Nobody has answered yet.</p>`
  return html`<p>Nobody has answered yet. ${
    survey.live
      ? html`Charts appear here with the first response. <a href="/account/surveys/${survey.id}/">Where it is taken</a>`
      : html`The survey is closed; <a href="/account/surveys/${survey.id}/">open it</a> to get answers.`
  }</p>`
}

function summaryView(
  looking: Looking,
  { total, complete, incomplete, terminated }: Results['responses'],
  days: readonly Day[],
): Html {
  const parts: [string, number][] = [
    ['complete', complete],
    ['incomplete', incomplete],
    ['terminated', terminated],
  ]
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  const title = 'Responses by day'
  const downloads = {
    svg: partOf(looking, `${DAYS}/chart.svg`),
    png: partOf(looking, `${DAYS}/chart.png`),
    csv: partOf(looking, `${DAYS}/numbers.csv`),
  }
  return html`<section class="card" aria-labelledby="summary"><h2 id="summary">${countText(total)} ${total === 1 ? 'response' : 'responses'}</h2>
<p class="soft">${parts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${countText(count)} ${name}`)
    .join(
      ', ',
    )}${first && (first === last ? ` · ${first}` : html` · <span class="whole">${first}</span> to <span class="whole">${last}</span>`)}${!looking.survey.live && ' · the survey is closed'}</p>
${days.length > 0 && figure({ kind: 'timeline', days }, title, downloads)}</section>`
}
