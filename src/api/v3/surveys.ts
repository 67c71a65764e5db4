import * as copies from '../../domain/report/duplicate-survey.ts'
import * as commands from '../../domain/survey/commands.ts'
import * as queries from '../../domain/survey/queries.ts'
import { pageReply } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { collectionUri } from './urls.ts'
import { isLive, surveyView } from './views.ts'

export const listSurveys: Operation<'listSurveys'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const filter = { search: query.search, tag: query.tags, group: query.group }
  const { total, surveys } = await queries.listSurveys(context, filter, page)
  const results = surveys.map((survey) => surveyView(context.services, survey))
  return pageReply(collectionUri(context.services, 'surveys'), search, page, total, results)
}

export const createSurvey: Operation<'createSurvey'> = async ({ context, body }) => {
  const { name, live, template, gallery_template: galleryTemplate, initial_structure: initialStructure } = body
  // Old programs send the properties of a survey as `structure`.
  const { structure } = body
  const isStructure = structure !== undefined && ('form' in structure || 'title' in structure)
  const draft = {
    name,
    live: isLive(live),
    template,
    galleryTemplate,
    structure: isStructure ? structure : undefined,
    initialStructure,
  }
  const { id } = await commands.createSurvey(context, draft)
  return { status: 201, body: surveyView(context.services, await queries.summariseSurvey(context, id)) }
}

export const getSurvey: Operation<'getSurvey'> = async ({ context, path }) => {
  const survey = await queries.summariseSurvey(context, path.survey_id)
  return { status: 200, body: surveyView(context.services, survey) }
}

export const updateSurvey: Operation<'updateSurvey'> = async ({ context, path, body }) => {
  await commands.updateSurvey(context, path.survey_id, { name: body.name, live: isLive(body.live) })
  return { status: 200, body: surveyView(context.services, await queries.summariseSurvey(context, path.survey_id)) }
}

export const duplicateSurvey: Operation<'duplicateSurvey'> = async ({ context, path, body }) => {
  const { id } = await copies.duplicateSurvey(context, path.survey_id, body.name)
  return { status: 201, body: surveyView(context.services, await queries.summariseSurvey(context, id)) }
}

export const deleteSurvey: Operation<'deleteSurvey'> = async ({ context, path }) => {
  await commands.deleteSurvey(context, path.survey_id)
  return { status: 200, body: 'OK' }
}
