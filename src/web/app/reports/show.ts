import { Problem } from '../../../domain/problem.ts'
import { currentQuery } from '../../../domain/response/filter/filter.ts'
import { listFilters } from '../../../domain/response/filter/saved-filters.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { alert } from '../../forms/field.ts'
import type { PageResult } from '../../page.ts'
import { addressOf, withCondition } from '../../report/conditions.ts'
import { reportContent } from '../../report/content.ts'
import { addedIn, chipsView, conditionText, filterForm } from '../../report/filtering.ts'
import { type Voice, voiceFor } from '../../report/i18n.ts'
import { partOf, type ReportRequest, resultsFor } from '../../report/report-request.ts'
import { spreadsInTime } from '../../report/spread.ts'
import { daysInTime } from '../../report/timeline.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { EVERYTHING, lookAt, reportsRoot } from './display-options.ts'

/** Saved filters offered. */
const MAX_FILTERS = 100

/** A report with its charts; a form adds conditions, chips take them off, and the address can be passed on. */
export async function showReport(request: SurveyRequest): Promise<PageResult> {
  const looking = await lookAt(request)
  const added = addedIn(request.query)
  if (added) {
    const conditions = added.reduce(withCondition, [...looking.conditions])
    return { redirect: addressOf(looking.base, conditions, looking.language) }
  }
  const { context, survey } = request
  const { questionnaire: q } = await findSnapshot(context, survey.id, 'Analyze')
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const voice = voiceFor(q, looking.language)
  const query = currentQuery(q, looking.design.query)
  const saved = filters.map(({ name }) => name)
  const around = html`${languagesView(q.languages, looking)}${designView(query, (pair) => conditionText(q, pair, voice))}
${filterForm(q, looking, { voice, saved })}${chipsView(q, looking, voice)}`
  const { content, status } = await figuresOf(looking, voice)
  return request.render(
    {
      title: looking.title,
      action: actions(request, looking, query),
      content: html`${around}${content}`,
      scripts: ['report.js'],
    },
    status,
  )
}

/** The charts; or, where the conditions make no sense, why not. */
async function figuresOf(looking: ReportRequest, voice: Voice): Promise<{ content: Html; status: number }> {
  try {
    const [results, days] = await Promise.all([resultsFor(looking), daysInTime(looking)])
    const spreads = await spreadsInTime(looking, results.questions)
    return { content: reportContent(looking, { results, days, spreads, voice }), status: 200 }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    const whose = looking.conditions.length > 0 ? 'Remove the invalid filter.' : 'Edit the report to fix its filter.'
    return { content: html`${alert(error.message)}<p>${whose}</p>`, status: 422 }
  }
}

/** What is filtered can be kept as a report, what is kept can be changed. */
function actions(request: SurveyRequest, looking: ReportRequest, query: string): Html {
  const { base, conditions } = looking
  const made = request.params.report !== EVERYTHING
  const kept = [...query.split('&').filter(Boolean), ...conditions]
  return html`<p class="actions does">${made && html`<a class="button plain small" href="${base}edit/">Edit</a>`}${
    (!made || conditions.length > 0) &&
    html`<a class="button plain small" href="${addressOf(`${reportsRoot(request)}new/`, kept)}">Save as report</a>`
  }<a class="button plain small" href="${partOf(looking, 'numbers.csv')}" download>Download data (CSV)</a></p>`
}

/** The report in each of the survey's languages, where there are several. */
function languagesView(
  languages: readonly { code: string; name: string; isDefault: boolean }[],
  looking: ReportRequest,
) {
  if (languages.length < 2) return null
  const { base, conditions, language } = looking
  const current = languages.find(({ code }) => code === language) ?? languages.find(({ isDefault }) => isDefault)
  return html`<nav class="reading" aria-label="Report language"><ul class="tags">${languages.map(
    ({ code, name }) =>
      html`<li><a class="tag" lang="${code}" hreflang="${code}" href="${addressOf(base, conditions, code)}"${code === current?.code && html` aria-current="true"`}>${name}</a></li>`,
  )}</ul></nav>`
}

/** What the report always leaves out. */
const designView = (query: string, textOf: (pair: string) => string) =>
  query !== '' &&
  html`<p class="soft">This report counts only responses where ${query.split('&').map(textOf).join('; ')}.</p>`
