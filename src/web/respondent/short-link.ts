import { problems } from '../../domain/problem.ts'
import { idOfShortCode } from '../../domain/survey/short-code.ts'
import { getSnapshot } from '../../domain/survey/snapshot.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { pathFor, withSearch } from './address.ts'

/**
 * Redirects a short link to the survey. Keeps the query. An unpublished survey has no short link.
 * @throws {Problem} `survey_not_found`
 */
export async function followShortLink({ context, params, query }: PageRequest): Promise<PageResult> {
  const id = idOfShortCode(params.code ?? '')
  const snapshot = id === undefined ? undefined : await getSnapshot(context.em, id)
  if (!snapshot || snapshot.unpublished) throw problems.surveyNotFound()
  return { redirect: withSearch(pathFor(snapshot), query), temporary: true }
}
