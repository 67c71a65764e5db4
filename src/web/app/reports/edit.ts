import { createReport, deleteReport, updateReport } from '../../../domain/report/commands.ts'
import { findReport, WITH_ALL, WITH_INCOMPLETE, WITH_SCREENED_OUT } from '../../../domain/report/queries.ts'
import {
  type ChartKind,
  chartKinds,
  chartsFor,
  DEFAULT_DESIGN,
  type ReportDesign,
} from '../../../domain/report/report.ts'
import { currentQuery, printFilters, splitPairs } from '../../../domain/response/filter/filter.ts'
import { filtersOf } from '../../../domain/response/list/queries.ts'
import type { Question } from '../../../domain/structure/questionnaire.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { conditionTexts } from '../../filter/chips.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, errorSentence, type FieldErrorTexts, type FormErrors, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { type Localize, localizerFor } from '../../report/localize.ts'
import { readReportQuery, responseSearch } from '../../report/report-request.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { reportsPath } from './frame.ts'

interface Form {
  heading: string
  action: string
  button: string
  draft: Draft
  rejected?: FormErrors
}

async function reportForm(
  request: SurveyRequest,
  { heading, action, button, draft, rejected }: Form,
): Promise<PageResult> {
  const snapshot = await findSnapshot(request.context, request.survey.id, 'Correct')
  const localize = localizerFor(snapshot.questionnaire, undefined)
  return request.render({
    title: heading,
    beforeHeading: backLink(reportsPath(request), t('All reports')),
    content: html`
      ${alert(rejected?.general)}
      <form method="post" action="${action}" class="card report-form">
        ${csrfField(request.csrf)}
        ${draftView(snapshot, draft, { localize, errors: rejected?.errors })}
        <div class="actions">
          <button class="primary">${button}</button>
          <a class="button plain" href="${reportsPath(request)}">Cancel</a>
        </div>
      </form>`,
  })
}

const FIELDS = ['title', 'questions', 'query']

const newForm = (request: SurveyRequest, draft: Draft): Form => ({
  heading: t('New report'),
  action: `${reportsPath(request)}new/`,
  button: t('Create report'),
  draft,
})

/**
 * Shows the form of a new report. The filter in the form contains the conditions in the query of the URL. If the query
 * also names a saved filter, the conditions of this saved filter are added.
 */
export async function showNewReport(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, ctx } = request
  const snapshot = await findSnapshot(context, survey.id, 'Correct')
  const filters = await filtersOf(context, snapshot, responseSearch(readReportQuery(ctx.querystring, true)))
  return reportForm(request, newForm(request, { ...DEFAULT_DESIGN, title: '', query: printFilters(filters) }))
}

/** Creates a report. */
export async function saveNewReport(request: SurveyRequest): Promise<PageResult> {
  const draft = readDraft(request.form)
  const { title, ...design } = draft
  return formPage(request, {
    fields: FIELDS,
    act: (context) => createReport(context, request.survey.id, title, design),
    view: (rejected) => reportForm(request, { ...newForm(request, draft), rejected }),
    done: ({ id }) => ({ redirect: `${reportsPath(request)}${id}/`, flash: t('Report created.') }),
  })
}

const editForm = (request: SurveyRequest, draft: Draft): Form => ({
  heading: t('Edit report'),
  action: `${reportsPath(request)}${parseId(request.params.report)}/edit/`,
  button: t('Save report'),
  draft,
})

export async function showEditReport(request: SurveyRequest): Promise<PageResult> {
  const report = await findReport(request.context, request.survey.id, parseId(request.params.report))
  const { questionnaire } = await findSnapshot(request.context, request.survey.id, 'Correct')
  const { title, questions, charts, shareTextAnswers } = report
  const query = currentQuery(questionnaire, report.query)
  return reportForm(
    request,
    editForm(request, { title, questions: questions ?? null, charts, query, shareTextAnswers }),
  )
}

export async function saveReport(request: SurveyRequest): Promise<PageResult> {
  const draft = readDraft(request.form)
  const id = parseId(request.params.report)
  return formPage(request, {
    fields: FIELDS,
    act: (context) => updateReport(context, request.survey.id, id, draft),
    view: (rejected) => reportForm(request, { ...editForm(request, draft), rejected }),
    done: () => ({ redirect: `${reportsPath(request)}${id}/`, flash: t('Report saved.') }),
  })
}

/** Asks for confirmation before a report is deleted. */
export async function confirmDeleteReport(request: SurveyRequest): Promise<PageResult> {
  const { title } = await findReport(request.context, request.survey.id, parseId(request.params.report))
  return confirmPage(request, {
    title: t('Delete “{title}”?', { title }),
    beforeHeading: backLink(reportsPath(request), t('All reports')),
    text: t('This permanently deletes the report and its link. Responses are not deleted.'),
    button: t('Delete report'),
    cancel: { label: t('Cancel'), path: reportsPath(request) },
  })
}

export async function removeReport(request: SurveyRequest): Promise<PageResult> {
  await request.write((context) => deleteReport(context, request.survey.id, parseId(request.params.report)))
  request.flash(t('Report deleted.'))
  return { redirect: reportsPath(request) }
}

/** The values of the form of a report. */
interface Draft extends ReportDesign {
  title: string
}

/** Prefix of the form fields that select the kind of chart for each question. */
const CHART = 'chart '

const chartNames: () => Readonly<Record<ChartKind, string>> = perLanguage(() => ({
  bars: t('Bars'),
  columns: t('Histogram'),
  stacked: t('Stacked bars'),
  gauge: t('Gauge'),
  places: t('Mean ranks'),
  means: t('Mean scores'),
}))

const isKind = (text: string | undefined): text is ChartKind => chartKinds.some((kind) => kind === text)

/** Reads a submitted form. Ignores the selected questions if the report shows all questions. */
function readDraft(form: FormFields): Draft {
  const selected = form.question ?? []
  const charts = Object.keys(form).flatMap((name): [string, ChartKind][] => {
    const kind = formValue(form, name)
    return name.startsWith(CHART) && isKind(kind) ? [[name.slice(CHART.length), kind]] : []
  })
  const query = formValue(form, 'query') ?? ''
  const has = (name: string) => formValue(form, name) !== undefined
  const statuses = filtersStatus(query) ? undefined : statusFilter(has('incomplete'), has('screened_out'))
  return {
    title: formValue(form, 'title') ?? '',
    questions: formValue(form, 'scope') === 'some' ? [selected].flat() : null,
    charts: Object.fromEntries(charts),
    query: [query, statuses].filter(Boolean).join('&'),
    shareTextAnswers: formValue(form, 'share_text_answers') !== undefined,
  }
}

/** Returns the filter of a report that counts more than the complete responses; undefined: it does not. */
function statusFilter(incomplete: boolean, screenedOut: boolean): string | undefined {
  if (incomplete && screenedOut) return WITH_ALL
  return incomplete ? WITH_INCOMPLETE : screenedOut ? WITH_SCREENED_OUT : undefined
}

const STATUS_FILTERS: ReadonlySet<string> = new Set([WITH_ALL, WITH_INCOMPLETE, WITH_SCREENED_OUT])

/**
 * Returns whether a query has a condition on the status of responses. If it has one, only this condition determines
 * which responses are counted: the form has no checkboxes for statuses, and submitted ones are ignored.
 */
const filtersStatus = (query: string): boolean => /(?:^|&)_completed/.test(query)

/** Renders the fields of a report: its title, filter, questions and charts. */
function draftView(
  snapshot: SurveySnapshot,
  { title, questions, charts, query, shareTextAnswers }: Draft,
  { localize, errors }: DraftOptions,
): Html {
  const answerable = snapshot.questionnaire.questions.filter(({ fields }) => fields.length > 0)
  return html`
    ${field({ name: 'title', label: t('Title'), value: title, required: true, errors })}
    ${errors?.has('query') ? errorView(t('Filter'), errors.get('query')) : filterView(snapshot, query, localize)}
    <fieldset class="choice">
      <legend>Questions</legend>
      ${errorView(t('Questions'), errors?.get('questions'))}
      <label class="check-label">
        <input type="radio" name="scope" value="all"${!questions && html` checked`}> All questions, including new ones
      </label> <label class="check-label">
        <input type="radio" name="scope" value="some"${questions && html` checked`}> Only these questions
      </label>
      <ul class="check-list">
        ${answerable.map((question, index) =>
          questionRow(question, index, { localize, charts, isSelected: questions?.includes(question.id) ?? true }),
        )}
      </ul>
    </fieldset>
    <p>
      <label class="check-label">
        <input type="checkbox" name="share_text_answers"${shareTextAnswers && html` checked`}
            aria-describedby="share-text-hint"> Show text answers when this report is shared
      </label>
    </p>
    <p class="soft hint" id="share-text-hint">
      Text answers can contain names or email addresses. Anyone with the link to the shared report and its password can
      read them.
    </p>`
}

interface DraftOptions {
  localize: Localize
  errors?: FieldErrorTexts | undefined
}

const errorView = (label: string, message: string | undefined): Part =>
  message && html`<p class="error">${errorSentence(label, message)}</p>`

function filterView(snapshot: SurveySnapshot, query: string, { language }: Localize): Html {
  const pairs = splitPairs(query)
  const conditions = pairs.filter((pair) => !STATUS_FILTERS.has(pair))
  const counts = (filter: string) => pairs.includes(filter) || pairs.includes(WITH_ALL)
  const texts = conditionTexts(snapshot, conditions.join('&'), { q: snapshot.questionnaire, language })
  const filter =
    conditions.length === 0
      ? html`<p class="soft hint">
        To include only some responses, open the report “All answers”, apply a filter, then select “Save as report”.
      </p>`
      : html`<p>
        <label class="check-label">
          <input type="checkbox" name="query" value="${conditions.join('&')}" checked> Apply this filter:
          ${texts.join('; ')}
        </label>
      </p>`
  if (filtersStatus(conditions.join('&'))) return filter
  return html`
    ${filter}
    <p>
      <label class="check-label">
        <input type="checkbox" name="incomplete"${counts(WITH_INCOMPLETE) && html` checked`}> Include incomplete
        responses
      </label>
    </p>
    <p>
      <label class="check-label">
        <input type="checkbox" name="screened_out"${counts(WITH_SCREENED_OUT) && html` checked`}> Include screened-out
        responses
      </label>
    </p>`
}

function questionRow(
  question: Question,
  index: number,
  { localize, charts, isSelected }: { localize: Localize; charts: Draft['charts']; isSelected: boolean },
): Html {
  const kinds = chartsFor(question)
  const title = localize(question.title) || question.id
  return html`<li>
    <label class="check-label">
      <input type="checkbox" name="question" value="${question.id}"${isSelected && html` checked`}> ${title}
    </label>
    ${
      kinds.length > 1 &&
      html`
        <label class="hidden" for="chart-${index}">Chart for ${title}</label>
        <select class="box" id="chart-${index}" name="${CHART}${question.id}">
          ${kinds.map(
            (kind) =>
              html`<option value="${kind}"${kind === (charts[question.id] ?? kinds[0]) && html` selected`}>
                ${chartNames()[kind]}
              </option>`,
          )}
        </select>`
    }
  </li>`
}
