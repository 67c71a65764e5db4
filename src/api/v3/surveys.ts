import * as commands from '../../domain/survey/commands.ts'
import * as queries from '../../domain/survey/queries.ts'
import { pageOf } from '../../lib/paging.ts'
import { paged } from '../paging.ts'
import type { Operation } from './operation.ts'
import { surveyView } from './views.ts'

export const listSurveys: Operation<'listSurveys'> = async ({ context, query, search }) => {
  const { site } = context
  const page = pageOf({ page: query.page, pageSize: query.page_size, first: 1, default: 10, max: 100 })
  const { total, surveys } = await queries.listSurveys(context, { search: query.search, tag: query.tags }, page)
  const views = surveys.map((survey) => surveyView(site, survey))
  return paged(`${site.baseUrl}/api/v3/surveys/`, search, page, total, views)
}

export const createSurvey: Operation<'createSurvey'> = async ({ context, body }) => {
  const { id } = await commands.createSurvey(context, { name: body.name, live: body.live === 1 })
  return { status: 201, body: surveyView(context.site, await queries.summariseSurvey(context, id)) }
}

export const getSurvey: Operation<'getSurvey'> = async ({ context, path }) => {
  const survey = await queries.summariseSurvey(context, path.survey_id)
  return { status: 200, body: surveyView(context.site, survey) }
}

export const updateSurvey: Operation<'updateSurvey'> = async ({ context, path, body }) => {
  const { name, live } = body
  await commands.updateSurvey(context, path.survey_id, { name, live: live === undefined ? undefined : live === 1 })
  return { status: 200, body: surveyView(context.site, await queries.summariseSurvey(context, path.survey_id)) }
}

export const deleteSurvey: Operation<'deleteSurvey'> = async ({ context, path }) => {
  await commands.deleteSurvey(context, path.survey_id)
  return { status: 200, body: 'OK' }
}
