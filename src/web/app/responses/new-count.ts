import { countNew } from '../../../domain/response/list/browse.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { conditionsOf } from './conditions.ts'
import { aboutResponses, type ResponsesRequest } from './frame.ts'
import { fromStart, searchOf, sinceIn } from './list-query.ts'

/**
 * A line that tells of responses which came in since the page was made: a script keeps it true, without one it is a
 * link that looks.
 * @param seq how far the feed of the survey had come
 */
export function liveView({ top, asked }: ResponsesRequest, seq: number): Html {
  const newest = searchOf({ ...fromStart(asked), oldestFirst: false })
  return html`<p class="live" role="status" data-live="${top}new/${searchOf(fromStart(asked), seq)}"><a href="${top}${newest}">Refresh</a></p>`
}

/** How many responses came in since, for the script: nobody reads it. */
export async function countNewResponses(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { filters } = await conditionsOf(about.context, about.snapshot, about.asked)
  const count = filters ? await countNew(about.context, about.snapshot, filters, sinceIn(about.query)) : 0
  return { json: { count, text: count === 1 ? 'Show 1 new response' : `Show ${count} new responses` } }
}
