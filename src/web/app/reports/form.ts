import { createReport, deleteReport, reviseReport } from '../../../domain/report/commands.ts'
import { plainDesign } from '../../../domain/report/design.ts'
import { findReport } from '../../../domain/report/queries.ts'
import { currentQuery, printFilters } from '../../../domain/response/filter/filter.ts'
import { filtersOf } from '../../../domain/response/list/queries.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { alert, type Faults, faultsOf } from '../../forms/field.ts'
import { lookedAt, searchFor } from '../../report/report-request.ts'
import { voiceFor } from '../../report/i18n.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn } from '../../session.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { type Draft, draftIn, draftView } from './parse-form.ts'
import { reportsRoot } from './display-options.ts'

interface Form {
  heading: string
  action: string
  button: string
  draft: Draft
  refused?: { faults: Faults; general: string | undefined }
}

async function formPage(visit: SurveyVisit, { heading, action, button, draft, refused }: Form): Promise<Answer> {
  const { questionnaire: q } = await findSnapshot(visit.context, visit.survey.id, 'Analyze')
  const voice = voiceFor(q, undefined)
  return visit.show(
    {
      title: heading,
      content: html`${alert(refused?.general)}<form method="post" action="${action}" class="card report-form">${csrfField(visit.csrf)}
${draftView(q, draft, { voice, faults: refused?.faults })}
<div class="actions"><button class="primary">${button}</button><a class="button plain" href="${reportsRoot(visit)}">Cancel</a></div></form>`,
    },
    refused ? 422 : 200,
  )
}

const refusalOf = (visit: SurveyVisit, error: unknown) => faultsOf(visit.known(error), ['title', 'questions', 'query'])

const newForm = (visit: SurveyVisit, draft: Draft): Form => ({
  heading: 'New report',
  action: `${reportsRoot(visit)}new/`,
  button: 'Make the report',
  draft,
})

/** The form of a new report; the conditions of the address are taken over, those behind a filter's name as well. */
export async function showNew(visit: SurveyVisit): Promise<Answer> {
  const { context, survey, query, ctx } = visit
  const snapshot = await findSnapshot(context, survey.id, 'Analyze')
  const filters = await filtersOf(context, snapshot, searchFor(lookedAt(query, ctx.search, true)))
  return formPage(visit, newForm(visit, { ...plainDesign, title: '', query: printFilters(filters) }))
}

/** Makes a report, which is told to who listens. */
export async function makeReport(visit: SurveyVisit): Promise<Answer> {
  const { title, ...design } = draftIn(visit.form)
  try {
    const { id } = await visit.write((context) => createReport(context, visit.survey.id, title, design))
    visit.tell('The report is made.')
    return { redirect: `${reportsRoot(visit)}${id}/` }
  } catch (error) {
    return formPage(visit, { ...newForm(visit, { title, ...design }), refused: refusalOf(visit, error) })
  }
}

const editForm = (visit: SurveyVisit, draft: Draft): Form => ({
  heading: 'Edit the report',
  action: `${reportsRoot(visit)}${idIn(visit.params.report)}/edit/`,
  button: 'Save the report',
  draft,
})

export async function showEdit(visit: SurveyVisit): Promise<Answer> {
  const report = await findReport(visit.context, visit.survey.id, idIn(visit.params.report))
  const { questionnaire } = await findSnapshot(visit.context, visit.survey.id, 'Analyze')
  const { title, questions, charts, shareTextAnswers } = report
  const query = currentQuery(questionnaire, report.query)
  return formPage(visit, editForm(visit, { title, questions: questions ?? null, charts, query, shareTextAnswers }))
}

export async function saveReport(visit: SurveyVisit): Promise<Answer> {
  const draft = draftIn(visit.form)
  const id = idIn(visit.params.report)
  try {
    await visit.write((context) => reviseReport(context, visit.survey.id, id, draft))
  } catch (error) {
    return formPage(visit, { ...editForm(visit, draft), refused: refusalOf(visit, error) })
  }
  visit.tell('The report is saved.')
  return { redirect: `${reportsRoot(visit)}${id}/` }
}

/** Asks before a report is gone. */
export async function askToDelete(visit: SurveyVisit): Promise<Answer> {
  const { title } = await findReport(visit.context, visit.survey.id, idIn(visit.params.report))
  return ask(visit, {
    title: `Delete “${title}”?`,
    text: 'The report and its link will be gone. The responses that it counts stay.',
    button: 'Delete it',
    keep: { label: 'Keep it', path: reportsRoot(visit) },
  })
}

export async function removeReport(visit: SurveyVisit): Promise<Answer> {
  await visit.write((context) => deleteReport(context, visit.survey.id, idIn(visit.params.report)))
  visit.tell('The report is deleted.')
  return { redirect: reportsRoot(visit) }
}
