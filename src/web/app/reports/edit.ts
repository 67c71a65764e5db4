import { createReport, deleteReport, updateReport } from '../../../domain/report/commands.ts'
import { findReport } from '../../../domain/report/queries.ts'
import { DEFAULT_DESIGN } from '../../../domain/report/report.ts'
import { currentQuery, printFilters } from '../../../domain/response/filter/filter.ts'
import { filtersOf } from '../../../domain/response/list/queries.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FormErrors, fieldErrorsOf } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import { localizerFor } from '../../report/localize.ts'
import { readReportQuery, responseSearch } from '../../report/report-request.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { reportsPath } from './frame.ts'
import { type Draft, draftView, readDraft } from './report-form.ts'

interface Form {
  heading: string
  action: string
  button: string
  draft: Draft
  rejected?: FormErrors
}

async function formPage(
  request: SurveyRequest,
  { heading, action, button, draft, rejected }: Form,
): Promise<PageResult> {
  const snapshot = await findSnapshot(request.context, request.survey.id, 'Analyze')
  const localize = localizerFor(snapshot.questionnaire, undefined)
  return request.render(
    {
      title: heading,
      beforeHeading: backLink(reportsPath(request), t('All reports')),
      content: html`${alert(rejected?.general)}<form method="post" action="${action}" class="card report-form">${csrfField(request.csrf)}
${draftView(snapshot, draft, { localize, errors: rejected?.errors })}
<div class="actions"><button class="primary">${button}</button><a class="button plain" href="${reportsPath(request)}">Cancel</a></div></form>`,
    },
    rejected ? 422 : 200,
  )
}

const formErrors = (request: SurveyRequest, error: unknown) =>
  fieldErrorsOf(request.toProblem(error), ['title', 'questions', 'query'])

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
  const snapshot = await findSnapshot(context, survey.id, 'Analyze')
  const filters = await filtersOf(context, snapshot, responseSearch(readReportQuery(ctx.querystring, true)))
  return formPage(request, newForm(request, { ...DEFAULT_DESIGN, title: '', query: printFilters(filters) }))
}

/** Creates a report. */
export async function saveNewReport(request: SurveyRequest): Promise<PageResult> {
  const { title, ...design } = readDraft(request.form)
  try {
    const { id } = await request.write((context) => createReport(context, request.survey.id, title, design))
    request.flash(t('Report created.'))
    return { redirect: `${reportsPath(request)}${id}/` }
  } catch (error) {
    return formPage(request, { ...newForm(request, { title, ...design }), rejected: formErrors(request, error) })
  }
}

const editForm = (request: SurveyRequest, draft: Draft): Form => ({
  heading: t('Edit report'),
  action: `${reportsPath(request)}${parseId(request.params.report)}/edit/`,
  button: t('Save report'),
  draft,
})

export async function showEditReport(request: SurveyRequest): Promise<PageResult> {
  const report = await findReport(request.context, request.survey.id, parseId(request.params.report))
  const { questionnaire } = await findSnapshot(request.context, request.survey.id, 'Analyze')
  const { title, questions, charts, shareTextAnswers } = report
  const query = currentQuery(questionnaire, report.query)
  return formPage(request, editForm(request, { title, questions: questions ?? null, charts, query, shareTextAnswers }))
}

export async function saveReport(request: SurveyRequest): Promise<PageResult> {
  const draft = readDraft(request.form)
  const id = parseId(request.params.report)
  try {
    await request.write((context) => updateReport(context, request.survey.id, id, draft))
  } catch (error) {
    return formPage(request, { ...editForm(request, draft), rejected: formErrors(request, error) })
  }
  request.flash(t('Report saved.'))
  return { redirect: `${reportsPath(request)}${id}/` }
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
