import type { Slice } from '../../../lib/paging.ts'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { findSnapshot } from '../../survey/queries.ts'
import { peekSnapshot, type SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { type Filter, parseFilters } from '../filter/filter.ts'
import { withoutIdentity } from '../filter/identity.ts'
import { namedFilter } from '../filter/named-filter.ts'
import { readRows, type StoredResponse } from '../filter/stored-response.ts'
import { pageOfResponses } from './page.ts'
import type { ResponseList } from './planner.ts'

/** Conditions on the responses of a survey, from a request. */
export interface ResponseSearch {
  /** The query string of the request. */
  search: string
  /** `strict` rejects unknown names, `lenient` ignores them. */
  mode: 'strict' | 'lenient'
  /** Parameters in the query string that are not filters. */
  known: ReadonlySet<string>
  /** Name of a saved or predefined filter. */
  filter?: string | undefined
  /** Stored conditions in addition (`printSaved`): all of their names are filters. */
  also?: string | undefined
}

const NO_PARAMETERS: ReadonlySet<string> = new Set()

/**
 * Returns all filters of a search: from the query string, from a named filter and stored ones. Filters on identity match no
 * anonymous response.
 * @throws {Problem} `invalid_request` naming each invalid parameter
 */
export async function filtersOf(
  context: Context,
  snapshot: SurveySnapshot,
  request: ResponseSearch,
): Promise<Filter[]> {
  const filters = parseFilters(request.search, snapshot.questionnaire, request.mode, request.known)
  const named = request.filter === undefined ? [] : await namedFilter(context, snapshot, request.filter)
  const stored = request.also ? parseFilters(request.also, snapshot.questionnaire, 'strict', NO_PARAMETERS, true) : []
  return withoutIdentity([...filters, ...named, ...stored], snapshot)
}

/** Lists the responses of a survey that pass every filter, by id: their number and one page. */
export const listResponses = (
  { em, services }: Context,
  snapshot: SurveySnapshot,
  { filters, ...slice }: Slice & { filters: readonly Filter[] },
): Promise<ResponseList> =>
  pageOfResponses(em.getKysely<Tables>(), services.listPlanner, snapshot, filters, slice).then(({ total, rows }) => ({
    total,
    rows: readRows(snapshot, rows),
  }))

/**
 * Searches the responses of a survey that the actor may see. With a cached survey the search runs while its revision is
 * checked, and is repeated if the survey has changed: one wait instead of two.
 * @throws {Problem} `survey_not_found`, or as {@link filtersOf}
 */
export async function searchResponses(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  slice: Slice,
): Promise<ResponseList & { snapshot: SurveySnapshot }> {
  const list = async (snapshot: SurveySnapshot) => {
    const filters = await filtersOf(context, snapshot, request)
    return { snapshot, ...(await listResponses(context, snapshot, { filters, ...slice })) }
  }
  const cached = peekSnapshot(context.services, surveyId)
  const early = cached && list(cached)
  // An error that an outdated survey causes is ignored.
  early?.catch(() => undefined)
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  return early && snapshot === cached ? early : list(snapshot)
}

/**
 * Returns one response of a survey that the actor may see.
 * @throws {Problem} `survey_not_found`, `response_not_found`
 */
export async function findResponse(
  context: Context,
  surveyId: number,
  id: number,
): Promise<{ snapshot: SurveySnapshot; row: StoredResponse }> {
  const found = context.em
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirst()
  const [snapshot, row] = await Promise.all([findSnapshot(context, surveyId, 'Analyze'), found])
  if (!row) throw problems.responseNotFound()
  return { snapshot, row: readRows(snapshot, [row])[0]! }
}
