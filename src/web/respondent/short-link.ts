import { problems } from '../../domain/problem.ts'
import { closedReason } from '../../domain/respondent/availability.ts'
import { findByShortCode } from '../../domain/survey/short-code.ts'
import { getSnapshot } from '../../domain/survey/snapshot.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { pathFor, withSearch } from './address.ts'
import { secondsToWait } from './rate-limit.ts'

/**
 * Redirects a short link to the survey. Keeps the query. If the survey is not open, the error page is the same as for a
 * code that no survey has.
 * @throws {Problem} `survey_not_found`; `too_many_requests` if the network has followed too many different links
 */
export async function followShortLink(request: PageRequest): Promise<PageResult> {
  const { context, params, query } = request
  const { code = '' } = params
  const { limits } = context.services
  const seconds = await secondsToWait(request, (network) => limits.countShortLink(network, code))
  if (seconds !== undefined) throw problems.tooManyRequests('Too many short links.', seconds)
  const id = await findByShortCode(context, code)
  const snapshot = id === undefined ? undefined : await getSnapshot(context.em, id)
  const isOpen =
    snapshot &&
    !snapshot.unpublished &&
    snapshot.questionnaire.fields.length > 0 &&
    [...snapshot.collectors.values()].some((collector) => !closedReason(context, snapshot, collector))
  if (!isOpen) throw problems.surveyNotFound()
  return { redirect: withSearch(pathFor(snapshot), query), temporary: true }
}
