import * as copies from '../../domain/report/duplicate-survey.ts'
import { structureWarnings } from '../../domain/structure/warnings.ts'
import * as commands from '../../domain/survey/commands.ts'
import * as queries from '../../domain/survey/queries.ts'
import * as trash from '../../domain/survey/trash.ts'
import { warningView } from '../warning-view.ts'
import type { Operation } from './operation.ts'
import { createdView, detailsView, statusView, surveyView } from './views.ts'

export const listSurveys: Operation<'listSurveys'> = async ({ context }) => {
  const { total, surveys } = await queries.listSurveys(context)
  return { status: 200, body: { total, surveys: surveys.map((survey) => surveyView(context.services, survey)) } }
}

/**
 * Creates an empty survey if `name` is a string and the body has neither `title` nor `form`. Any other body is a
 * structure, whose title defaults to the member `name`.
 */
export const createSurvey: Operation<'createSurvey'> = async ({ context, query, body }) => {
  const { name = query.name ?? '', title, form } = body
  const nameOnly = typeof name === 'string' && title === undefined && form === undefined
  const structure = title === undefined ? { ...body, name } : body
  const { id } = await commands.createSurvey(context, nameOnly ? { name } : { structure })
  const warnings = structureWarnings(body).map(warningView)
  const view = createdView(context.services, await queries.summariseSurvey(context, id))
  return { status: 200, body: { ...view, ...(warnings.length > 0 && { warnings }) } }
}

export const getSurvey: Operation<'getSurvey'> = async ({ context, path, query }) => {
  if (query.structure) return { status: 200, body: await queries.findStructure(context, path.survey_id) }
  return { status: 200, body: detailsView(context.services, await queries.describeSurvey(context, path.survey_id)) }
}

export const deleteSurvey: Operation<'deleteSurvey'> = async ({ context, path }) => {
  await trash.deleteSurvey(context, path.survey_id)
  return { status: 200, body: { success: true } }
}

export const duplicateSurvey: Operation<'duplicateSurvey'> = async ({ context, path, body }) => {
  const { id } = await copies.duplicateSurvey(context, path.survey_id, body.name)
  return { status: 200, body: createdView(context.services, await queries.summariseSurvey(context, id)) }
}

export const renameSurvey: Operation<'renameSurvey'> = async ({ context, path, query, body }) => {
  await commands.updateSurvey(context, path.survey_id, { name: body.name ?? query.name ?? '' })
  return { status: 200, body: createdView(context.services, await queries.summariseSurvey(context, path.survey_id)) }
}

export const getSurveyStatus: Operation<'getSurveyStatus'> = async ({ context, path }) => {
  return { status: 200, body: statusView(await queries.summariseSurvey(context, path.survey_id)) }
}

export const setSurveyStatus: Operation<'setSurveyStatus'> = async ({ context, path, query }) => {
  const survey = query.switch
    ? await commands.updateSurvey(context, path.survey_id, { live: query.switch === 'live' })
    : await commands.toggleSurvey(context, path.survey_id)
  return { status: 200, body: statusView(survey) }
}
