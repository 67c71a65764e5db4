import { Problem } from '../../../domain/problem.ts'
import { hashOfAnalysis, openAnalysis } from '../../../domain/report/analysis/archive.ts'
import { assertExactFigures } from '../../../domain/report/reader.ts'
import { currentQuery, splitPairs } from '../../../domain/response/filter/filter.ts'
import { listFilters } from '../../../domain/response/filter/saved-filters.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { conditionTexts, filterChips, savedFiltersMenu } from '../../filter/chips.ts'
import { ANY_STATUS, applyForm, filterBar, REPORT_STATUS } from '../../filter/form.ts'
import { formatFilter, INVALID_FILTER, resolveConditions } from '../../filter/list-query.ts'
import { alert } from '../../forms/field.ts'
import { problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { backLink, linkMenu, segments } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { daysPage, histogramPage, reportContent } from '../../report/content.ts'
import { CROSS_TABLE_PATH, crossTableContent, crossTableFile, readChoice } from '../../report/cross-table.ts'
import { chartFile, dataFile, daysFile } from '../../report/downloads.ts'
import { GROUPS_PATH, groupsContent, groupsFile, readGroups } from '../../report/groups.ts'
import { immediateDays, immediateHistograms } from '../../report/histogram.ts'
import { localizerFor } from '../../report/localize.ts'
import {
  filterPageOf,
  isFiltered,
  isWeighted,
  type ReportRequest,
  reportPath,
  resultsFor,
} from '../../report/report-request.ts'
import { textsPage } from '../../report/text-answers.ts'
import { readTrend, TREND_PATH, trendContent, trendFile } from '../../report/trend.ts'
import { MAX_FILTERS } from '../responses/saved-filters.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { ALL_ANSWERS, readReportRequest, reportsPath } from './frame.ts'

/**
 * Shows a report with its charts. The URL contains the filter, so that users can send each other the link to a filtered
 * report.
 */
export async function showReport(request: SurveyRequest): Promise<PageResult> {
  const report = await readReportRequest(request)
  const { context, survey } = request
  const snapshot = await findSnapshot(context, survey.id, 'Report')
  const page = filterPageOf(report, snapshot)
  const conditions = await resolveConditions(context, snapshot, page.listQuery)
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const query = currentQuery(snapshot.questionnaire, report.design.query)
  const texts = conditionTexts(snapshot, query, page.textContext)
  const statuses = query.includes('_completed') ? ANY_STATUS() : REPORT_STATUS()
  const filter = html`
    ${texts.length > 0 && html`<p class="soft">Filter of this report: ${texts.join('; ')}.</p>`}
    ${
      report.isMember &&
      html`
        ${guestsView(snapshot)}
        ${snapshot.weighting && weightsSwitch(report)}
        ${filterBar(page, conditions, statuses, savedFiltersMenu(page, filters, `${request.root}responses/filters/`))}
        ${filterChips(page, conditions)}`
    }`
  const { content, status } = conditions.filters
    ? await chartsView(report, snapshot)
    : { content: alert(INVALID_FILTER()), status: 422 }
  return request.render(
    {
      title: report.title,
      beforeHeading: backLink(reportsPath(request), t('All reports')),
      action: actionsView(request, report, query, snapshot),
      content: html`${filter}${content}`,
      scripts: ['report.js'],
    },
    status,
  )
}

/** Renders links to the report without and with weights. */
function weightsSwitch(report: ReportRequest): Html {
  const link = (weighted: boolean, text: string) => ({
    href: reportPath(report, '', { weighted }),
    text,
    isCurrent: isWeighted(report) === weighted,
  })
  return segments(t('Weights'), [link(false, t('Without weights')), link(true, t('Weighted'))])
}

/** Tells what readers see of a report who may not view responses. */
function guestsView({ settings: { anonymity_threshold: threshold } }: SurveySnapshot): Part {
  const text =
    threshold === 1
      ? t('Guests and people who may not view responses see the same numbers as you. The settings can round them.')
      : t(
          'Guests and people who may not view responses see numbers rounded down to multiples of {threshold}, cannot filter, and see a new state after {threshold} responses.',
          { threshold },
        )
  return html`<p class="soft on-screen">${text}</p>`
}

/** Redirects a submitted filter form to the filtered report. */
export const applyReportForm = async (request: SurveyRequest): Promise<PageResult> =>
  applyForm(`${reportsPath(request)}${request.params.report}/`, request.query)

/**
 * Renders the charts. If the filter of the report is no longer valid, for example because a question was removed,
 * renders the error instead.
 */
async function chartsView(
  report: ReportRequest,
  { questionnaire }: SurveySnapshot,
): Promise<{ content: Html; status: number }> {
  const localize = localizerFor(questionnaire, report.listQuery.language)
  try {
    const [results, days] = await Promise.all([resultsFor(report), immediateDays(report)])
    const histograms = await immediateHistograms(report, results.questions)
    return { content: reportContent(report, { results, days, histograms, localize }), status: 200 }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    return { content: html`${alert(problemText(error))}<p>Edit the report to fix its filter.</p>`, status: 422 }
  }
}

function actionsView(request: SurveyRequest, report: ReportRequest, query: string, snapshot: SurveySnapshot): Html {
  const isStored = request.params.report !== ALL_ANSWERS
  const combined = [...splitPairs(query), ...splitPairs(formatFilter(report.listQuery))].join('&')
  return html`<div class="row-actions">
    ${isStored && request.may('Correct') && html`<a class="button plain small" href="${report.basePath}edit/">Edit</a>`}
    ${
      request.may('Correct') &&
      (!isStored || isFiltered(report)) &&
      html`<a class="button plain small" href="${reportsPath(request)}new/${combined && `?${combined}`}">
        Save as report
      </a>`
    }
    ${
      report.isMember &&
      html`<a class="button plain small" href="${reportPath(report, CROSS_TABLE_PATH)}">Cross-table</a>`
    }
    ${
      request.may('View') &&
      html`<a class="button plain small" href="${reportPath(report, GROUPS_PATH)}">Compare groups</a> <a
            class="button plain small" href="${reportPath(report, TREND_PATH)}">Trend</a>`
    }
    <a class="button plain small" href="${reportPath(report, 'numbers.csv')}" download>Download data (CSV)</a>
    ${
      request.may('Export') &&
      !isFiltered(report) &&
      html`<a class="button plain small" href="${report.basePath}analysis/">${t('Download analysis')}</a>`
    }
    ${languageMenu(snapshot, report)}
  </div>`
}

/** Renders a menu of the report in each language of the survey. */
function languageMenu({ questionnaire: { languages } }: SurveySnapshot, report: ReportRequest): Part {
  if (languages.length < 2) return null
  const { language } = report.listQuery
  const current = languages.find(({ code }) => code === language) ?? languages.find(({ isDefault }) => isDefault)
  const links = languages.map(({ code, name }) => ({
    href: reportPath(report, '', { language: code }),
    text: name,
    isCurrent: code === current?.code,
    lang: code,
  }))
  return linkMenu(t('Report language'), links)
}

// Pages and downloads that contain one part of a report.

/** Shows a table of the answers to two questions, over the responses of the report. */
export async function showCrossTable(request: SurveyRequest): Promise<PageResult> {
  const report = await readReportRequest(request)
  const snapshot = await findSnapshot(request.context, request.survey.id, 'Report')
  assertExactFigures(request.context, snapshot)
  const { content, status } = await crossTableContent(report, snapshot, readChoice(request.query))
  return request.render(
    {
      title: t('Cross-table'),
      beforeHeading: backLink(reportPath(report), report.title),
      content: html`${filterNote(report, snapshot)}${content}`,
    },
    status,
  )
}

export async function downloadCrossTable(request: SurveyRequest): Promise<PageResult> {
  return crossTableFile(await readReportRequest(request), readChoice(request.query))
}

/** Shows the figures of groups of responses side by side. */
export async function showComparison(request: SurveyRequest): Promise<PageResult> {
  const report = await readReportRequest(request)
  const snapshot = await findSnapshot(request.context, request.survey.id, 'View')
  const { filters } = await listFilters(request.context, request.survey.id, { offset: 0, limit: MAX_FILTERS })
  const { content, status } = await groupsContent(report, snapshot, readGroups(request.query), filters)
  return request.render(
    {
      title: t('Compare groups'),
      beforeHeading: backLink(reportPath(report), report.title),
      content: html`${filterNote(report, snapshot)}${content}`,
    },
    status,
  )
}

export async function downloadComparison(request: SurveyRequest): Promise<PageResult> {
  const snapshot = await findSnapshot(request.context, request.survey.id, 'View')
  return groupsFile(await readReportRequest(request), snapshot, readGroups(request.query))
}

/** Shows the answers to a question over time. */
export async function showTrend(request: SurveyRequest): Promise<PageResult> {
  const report = await readReportRequest(request)
  const snapshot = await findSnapshot(request.context, request.survey.id, 'View')
  const { content, status } = await trendContent(report, snapshot.questionnaire, readTrend(request.query))
  return request.render(
    {
      title: t('Trend'),
      beforeHeading: backLink(reportPath(report), report.title),
      content: html`${filterNote(report, snapshot)}${content}`,
    },
    status,
  )
}

export async function downloadTrend(request: SurveyRequest): Promise<PageResult> {
  return trendFile(await readReportRequest(request), readTrend(request.query), request.params.form!)
}

/** Renders the filter of the report and of the URL as text. */
function filterNote(report: ReportRequest, snapshot: SurveySnapshot): Html {
  const query = [currentQuery(snapshot.questionnaire, report.design.query), report.listQuery.conditions.join('&')]
  const texts = conditionTexts(snapshot, query.filter(Boolean).join('&'), filterPageOf(report, snapshot).textContext)
  return texts.length > 0
    ? html`<p class="soft">${t('Filter: {texts}.', { texts: texts.join('; ') })}</p>`
    : html`<p class="soft on-screen">To include only some responses, apply a filter in the report first.</p>`
}

/** Shows the hash of the archive with the responses of a report and the scripts that make its figures. */
export async function showAnalysis(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, design, basePath, title } = await readReportRequest(request)
  const hash = await hashOfAnalysis(context, survey.id, design)
  return request.render({
    title: t('Download analysis'),
    beforeHeading: backLink(basePath, title),
    content: html`<div class="card">
      <p>
        ${t(
          'The archive contains the responses of this report, a codebook, and scripts for R and Python that print the counts, percentages, ranks, means with their spread, medians and scores of the report. With them, anyone can check the report.',
        )}
      </p>
      <p>${t('SHA-256 of the archive, as long as no response changes:')} <code class="address">${hash}</code></p>
      <div class="actions">
        <a class="button primary" href="${basePath}analysis.zip" download>${t('Download analysis')}</a>
      </div>
    </div>`,
  })
}

export async function downloadAnalysis(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, design } = await readReportRequest(request)
  const { stream, filename } = await openAnalysis(context, survey.id, design)
  return { file: stream, type: 'application/zip', name: filename }
}

export async function downloadReportData(request: SurveyRequest): Promise<PageResult> {
  return dataFile(await readReportRequest(request))
}

export async function showDays(request: SurveyRequest): Promise<PageResult> {
  return request.render(await daysPage(await readReportRequest(request)))
}

export async function downloadDays(request: SurveyRequest): Promise<PageResult> {
  return daysFile(await readReportRequest(request), request.params.form!)
}

export async function downloadChart(request: SurveyRequest): Promise<PageResult> {
  return chartFile(await readReportRequest(request), request.params.question!, request.params.form!)
}

export async function showHistogram(request: SurveyRequest): Promise<PageResult> {
  return request.render(await histogramPage(await readReportRequest(request), request.params.question!))
}

export async function showTexts(request: SurveyRequest): Promise<PageResult> {
  return request.render(await textsPage(await readReportRequest(request), request.params.key!, request.query))
}
