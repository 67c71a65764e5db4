import { listFiles } from '../../../domain/file/queries.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { adjacentResponses } from '../../../domain/response/list/browse.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { fileFields } from '../../../domain/structure/file-answer.ts'
import { STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import { filePagePath, surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { resolveConditions } from '../../filter/conditions.ts'
import { option } from '../../filter/form.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { answersView, type ResponseFiles } from './answers-view.ts'
import { listSearch, type ResponsesRequest, readResponsesRequest } from './frame.ts'
import { metadataView } from './metadata-view.ts'
import { statusTag } from './status.ts'

/** Shows a response, with links to the previous and the next response that match the filter in the URL. */
export async function showResponse(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { context, survey, snapshot, textContext, params, listPath } = page
  const { row } = await findResponse(context, survey.id, parseId(params.response))
  const files = await filesOf(page, row)
  const { filters = [] } = await resolveConditions(context, snapshot, page.listQuery)
  const neighbours = await adjacentResponses(context, snapshot, filters, row.id)
  return request.render({
    title: t('Response {number}', { number: row.number }),
    beforeHeading: backLink(`${listPath}${listSearch(page)}`, t('All responses')),
    content: html`${neighboursView(page, neighbours)}
<section class="card" aria-labelledby="answers"><h2 id="answers">Answers ${statusTag(row.completed)}</h2>${answersView(row, textContext, files)}</section>
<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${metadataView(snapshot, row)}</section>
${actionsView(page, row)}`,
  })
}

/** Finds the files of a response. Runs no query if the survey has no questions that accept files. */
async function filesOf(
  { context, survey, snapshot }: ResponsesRequest,
  { id }: StoredResponse,
): Promise<ResponseFiles> {
  const asksForFiles = fileFields(snapshot.questionnaire).length > 0
  const { files } = asksForFiles ? await listFiles(context, survey.id, id) : { files: [] }
  return { byKey: new Map(files.map((file) => [file.key, file])), path: filePagePath(survey.id) }
}

function neighboursView(
  page: ResponsesRequest,
  { newer, older }: { newer: number | undefined; older: number | undefined },
): Part {
  const link = (id: number | undefined, label: string, rel: string) =>
    id !== undefined && html`<a href="${page.listPath}${id}/${listSearch(page)}" rel="${rel}">${label}</a>`
  if (newer === undefined && older === undefined) return null
  const { oldestFirst } = page.listQuery
  const olderLink = link(older, t('Older'), oldestFirst ? 'prev' : 'next')
  const newerLink = link(newer, t('Newer'), oldestFirst ? 'next' : 'prev')
  return html`<nav aria-label="Previous and next response" class="pager top">${oldestFirst ? [olderLink, newerLink] : [newerLink, olderLink]}</nav>`
}

/**
 * Renders the form that changes the status, and the link to the page that deletes the response. For an incomplete
 * response, also renders the link with which the respondent opens the response.
 */
function actionsView(page: ResponsesRequest, row: StoredResponse): Html {
  const { context, snapshot, csrf, listPath } = page
  const { baseUrl } = context.services
  const survey = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  const link = `${survey}${row.key.toString('hex')}/`
  const search = listSearch(page)
  return html`<section class="card" aria-labelledby="change"><h2 id="change">Actions</h2>
${
  row.completed === 0
    ? html`<p>To edit the answers, open the respondent’s link: <a class="address" href="${link}">${link}</a></p>`
    : html`<p class="soft">To edit the answers, set the status to Incomplete. This page then shows the link with which you can open the response.</p>`
}
<form method="post" action="${listPath}${row.id}/status/${search}" class="form-row below">${csrfField(csrf)}<div><label for="status">Status</label><select class="box" id="status" name="completed">${STATE_NAMES.map((label, value) => option(String(value), t(label), value === row.completed))}</select></div><button>Update status</button></form>
<p class="below"><a class="button danger small" href="${listPath}${row.id}/delete/${search}">Delete response…</a></p></section>`
}
