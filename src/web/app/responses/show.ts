import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { neighboursOf } from '../../../domain/response/list/browse.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { STATE_LABELS } from '../../../domain/structure/meta-fields.ts'
import { deployAddress } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { answersView } from './answers-view.ts'
import { conditionsOf } from './conditions.ts'
import { option } from './filter-rows.ts'
import { aboutResponses, type ResponsesRequest } from './frame.ts'
import { searchOf } from './list-query.ts'
import { factsView } from './metadata-view.ts'
import { statusTag } from './status.ts'

/** The conditions that a response was found by, to go on to the next; the stretch does not matter any more. */
export const listSearch = ({ asked }: ResponsesRequest): string =>
  searchOf({ ...asked, below: undefined, above: undefined, pick: undefined })

/** One response in full, between its neighbours under the same filter. */
export async function showResponse(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { context, survey, snapshot, telling, params, top } = about
  const { row } = await findResponse(context, survey.id, parseId(params.response))
  const { filters = [] } = await conditionsOf(context, snapshot, about.asked)
  const beside = await neighboursOf(context, snapshot, filters, row.id)
  return request.render({
    title: `Response ${row.id}`,
    action: html`<a class="button plain small" href="${top}${listSearch(about)}">All responses</a>`,
    content: html`${besideView(about, beside)}
<section class="card" aria-labelledby="answers"><h2 id="answers">Answers ${statusTag(row.completed)}</h2>${answersView(row, telling)}</section>
<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${factsView(snapshot, row)}</section>
${changeView(about, row)}`,
  })
}

function besideView(
  about: ResponsesRequest,
  { newer, older }: { newer: number | undefined; older: number | undefined },
): Part {
  const link = (id: number | undefined, label: string, rel: string) =>
    id !== undefined && html`<a href="${about.top}${id}/${listSearch(about)}" rel="${rel}">${label}</a>`
  if (newer === undefined && older === undefined) return null
  const isUp = about.asked.oldestFirst
  const up = link(older, 'Older', isUp ? 'prev' : 'next')
  const down = link(newer, 'Newer', isUp ? 'next' : 'prev')
  return html`<nav aria-label="Previous and next response" class="pager top">${isUp ? [up, down] : [down, up]}</nav>`
}

/** Where the respondent goes on, the status, and the way out. */
function changeView(about: ResponsesRequest, row: StoredResponse): Html {
  const { context, snapshot, csrf, top, asked } = about
  const { baseUrl } = context.services
  const survey = deployAddress(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  const address = `${survey}${row.key.toString('hex')}/`
  const search = listSearch(about)
  return html`<section class="card" aria-labelledby="change"><h2 id="change">Actions</h2>
${
  row.completed === 0
    ? html`<p>To edit the answers, open the respondent’s link: <a class="address" href="${address}">${address}</a></p>`
    : html`<p class="soft">To edit the answers, set the status to Incomplete, then open the respondent’s link.</p>`
}
<form method="post" action="${top}${row.id}/status/${search}" class="sift below">${csrfField(csrf)}<div><label for="status">Status</label><select class="box" id="status" name="completed">${STATE_LABELS.map((label, value) => option(String(value), label, value === row.completed))}</select></div><button>Update status</button></form>
<p class="below"><a class="button danger small" href="${top}${row.id}/delete/${searchOf({ ...asked, pick: undefined })}">Delete response…</a></p></section>`
}
