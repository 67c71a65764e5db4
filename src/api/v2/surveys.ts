import * as commands from '../../domain/survey/commands.ts'
import * as queries from '../../domain/survey/queries.ts'
import type { Operation } from './operation.ts'
import { createdView, detailsView, statusView, summaryView } from './views.ts'

/** This list has no pages (specification, "v2: surveys"). */
const EVERY = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

export const listSurveys: Operation<'listSurveys'> = async ({ context }) => {
  const { total, surveys } = await queries.listSurveys(context, {}, EVERY)
  return { status: 200, body: { total, surveys: surveys.map((survey) => summaryView(context.site, survey)) } }
}

export const createSurvey: Operation<'createSurvey'> = async ({ context, body }) => {
  const { name, ...structure } = body
  const draft = structure.title === undefined ? { name } : { name, structure }
  const { id } = await commands.createSurvey(context, draft)
  return { status: 200, body: createdView(context.site, await queries.summariseSurvey(context, id)) }
}

export const getSurvey: Operation<'getSurvey'> = async ({ context, path, query }) => {
  const id = path.survey_id
  if (query.structure) return { status: 200, body: await queries.structureOf(context, id) }
  const survey = await queries.summariseSurvey(context, id)
  return { status: 200, body: detailsView(context.site, survey, await queries.findSnapshot(context, id)) }
}

export const deleteSurvey: Operation<'deleteSurvey'> = async ({ context, path }) => {
  await commands.deleteSurvey(context, path.survey_id)
  return { status: 200, body: { success: true } }
}

export const getSurveyStatus: Operation<'getSurveyStatus'> = async ({ context, path }) => {
  const { live } = await queries.summariseSurvey(context, path.survey_id)
  return { status: 200, body: { status: statusView(live) } }
}

export const setSurveyStatus: Operation<'setSurveyStatus'> = async ({ context, path, query }) => {
  const survey = query.switch
    ? await commands.updateSurvey(context, path.survey_id, { live: query.switch === 'live' })
    : await commands.toggleSurvey(context, path.survey_id)
  return { status: 200, body: { status: statusView(survey.live) } }
}
