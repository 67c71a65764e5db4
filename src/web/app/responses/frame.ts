import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { updateResponseMeta } from '../../../domain/response/edit/commands.ts'
import { checkConditionCount } from '../../../domain/response/filter/filter.ts'
import { countNew } from '../../../domain/response/list/browse.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { textContextOf } from '../../filter/fields.ts'
import { type FilterPage, pathOf } from '../../filter/filter-page.ts'
import { firstPage, formatListQuery, parseListQuery, resolveConditions } from '../../filter/list-query.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** A request for a page about the responses to a survey; `listPath` is the path of the list of responses. */
export interface ResponsesRequest extends SurveyRequest, FilterPage {}

/**
 * Extends a request with the data that every page about responses needs.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function readResponsesRequest(request: SurveyRequest): Promise<ResponsesRequest> {
  const snapshot = await findSnapshot(request.context, request.survey.id, 'View')
  const listQuery = parseListQuery(request.ctx.querystring)
  checkConditionCount(listQuery.conditions)
  const textContext = textContextOf(snapshot.questionnaire, listQuery.language)
  return { ...request, snapshot, listQuery, textContext, listPath: `${request.root}responses/` }
}

/** Returns the query string that the page of one response needs to keep the filter and the columns of the list. */
export const listSearch = ({ listQuery }: FilterPage): string => formatListQuery(firstPage(listQuery))

/** Renders the status of a response as a tag. */
export const statusTag = (completed: number): Html =>
  html`<span class="${completed === 1 ? 'tag done' : 'tag open'}">
    ${t(STATE_NAMES[completed] ?? String(completed))}
  </span>`

/** Returns the name of a status, worded for the middle of a sentence. */
const stateName = (completed: 0 | 1 | 2): string => [t('incomplete'), t('complete'), t('screened out')][completed]!

/** Sets the status of a response. */
export async function setStatus(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const completed = ([0, 1, 2] as const).find((value) => String(value) === formValue(request.form, 'completed'))
  if (completed === undefined)
    throw problems.invalidField('completed', 'invalid_value', {}, detail('one_of', { values: '0, 1, 2' }))
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  await request.write((context) => updateResponseMeta(context, request.survey.id, row.id, { completed }))
  request.flash(t('Response {number} is now {value}.', { number: row.number, value: stateName(completed) }))
  return { redirect: `${page.listPath}${row.id}/${listSearch(page)}` }
}

/**
 * The query parameter that contains the last number of the survey's change feed at the time when the page was rendered.
 * Responses whose creation has a higher number in the feed are new.
 */
const SINCE = 'view-since'

/**
 * Renders a link that reloads the list. When there are new responses, the script shows in the text of the link how many
 * there are.
 * @param seq the last number of the survey's change feed
 */
export function newResponsesLink(page: ResponsesRequest, seq: number): Html {
  const countPath = `${page.listPath}new/${formatListQuery(firstPage(page.listQuery), { [SINCE]: seq })}`
  return html`<p class="live" role="status" data-live="${countPath}">
    <a href="${pathOf(page, { oldestFirst: false })}">Refresh</a>
  </p>`
}

/** Returns the number of new responses that match the filter, for the script. */
export async function countNewResponses(request: SurveyRequest): Promise<PageResult> {
  const { context, snapshot, listQuery, query } = await readResponsesRequest(request)
  const { filters } = await resolveConditions(context, snapshot, listQuery)
  const count = filters ? await countNew(context, snapshot, filters, parseId(query.get(SINCE) ?? '')) : 0
  return { json: { count, text: t('Show {newResponses}', { newResponses: pluralize(count, 'new response') }) } }
}
