import { countNew } from '../../../domain/response/list/browse.ts'
import { type Html, html } from '../../../lib/html.ts'
import { resolveConditions } from '../../filter/conditions.ts'
import { pathOf } from '../../filter/filter-page.ts'
import { firstPage, formatListQuery } from '../../filter/list-query.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { type ResponsesRequest, readResponsesRequest } from './frame.ts'

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
  return html`<p class="live" role="status" data-live="${countPath}"><a href="${pathOf(page, { oldestFirst: false })}">Refresh</a></p>`
}

/** Returns the number of new responses that match the filter, for the script. */
export async function countNewResponses(request: SurveyRequest): Promise<PageResult> {
  const { context, snapshot, listQuery, query } = await readResponsesRequest(request)
  const { filters } = await resolveConditions(context, snapshot, listQuery)
  const count = filters ? await countNew(context, snapshot, filters, parseId(query.get(SINCE) ?? '')) : 0
  return { json: { count, text: t('Show {newResponses}', { newResponses: pluralize(count, 'new response') }) } }
}
