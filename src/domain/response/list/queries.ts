import type { Slice } from '../../../lib/paging.ts'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import type { ResponseList } from '../../rollup/list.ts'
import { findSnapshot } from '../../survey/queries.ts'
import { peekSnapshot, type SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { type Filter, parseFilters } from '../filter/filter.ts'
import { withoutIdentity } from '../filter/identity.ts'
import { namedFilter } from '../filter/named-filter.ts'
import { type StoredResponse, withCurrentPositions } from '../filter/where.ts'
import { pageOfResponses } from './page.ts'

/** Conditions on the responses of a survey, from a request. */
export interface ResponseSearch {
  /** The query string of the request. */
  search: string
  /** `strict` rejects unknown names; `lenient` ignores them. */
  mode: 'strict' | 'lenient'
  /** Parameters in the query string that are not filters. */
  parameters: ReadonlySet<string>
  /** Name of a saved or predefined filter. */
  filter?: string | undefined
  /** Additional stored conditions (`printSaved`). */
  also?: string | undefined
}

const NO_PARAMETERS: ReadonlySet<string> = new Set()

/**
 * Returns all filters of a search: the filters of the query string, the named filter and the stored filters. Filters on
 * data that identify respondents treat these data as empty for anonymous responses.
 * @throws {Problem} `invalid_request` naming each invalid parameter
 */
export async function filtersOf(
  context: Context,
  snapshot: SurveySnapshot,
  request: ResponseSearch,
): Promise<Filter[]> {
  const filters = parseFilters(request.search, snapshot.questionnaire, request.mode, request.parameters)
  const named = request.filter === undefined ? [] : await namedFilter(context, snapshot, request.filter)
  const stored = request.also ? parseFilters(request.also, snapshot.questionnaire, 'strict', NO_PARAMETERS, true) : []
  return withoutIdentity([...filters, ...named, ...stored], snapshot)
}

/** Lists the responses of a survey that pass every filter, in order of id: their number and one page. */
export const listResponses = (
  { em }: Context,
  snapshot: SurveySnapshot,
  { filters, ...slice }: Slice & { filters: readonly Filter[] },
): Promise<ResponseList> =>
  pageOfResponses(em.getKysely<Tables>(), snapshot, filters, slice).then(({ total, rows }) => ({
    total,
    rows: withCurrentPositions(snapshot, rows),
  }))

/**
 * Searches the responses of a survey that the actor can see. If the survey is cached, the search starts immediately,
 * while a query checks whether the cached survey is current. If the cached survey is outdated, the search is repeated.
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
  const speculative = cached && list(cached)
  // If the cached survey is outdated, errors of this search are ignored.
  speculative?.catch(() => undefined)
  const snapshot = await findSnapshot(context, surveyId, 'View')
  return speculative && snapshot === cached ? speculative : list(snapshot)
}

/**
 * Returns a response of a survey that the actor can see.
 * @throws {Problem} `survey_not_found`, `response_not_found`
 */
export async function findResponse(
  context: Context,
  surveyId: number,
  id: number,
): Promise<{ snapshot: SurveySnapshot; row: StoredResponse }> {
  const query = context.em
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirst()
  const [snapshot, row] = await Promise.all([findSnapshot(context, surveyId, 'View'), query])
  if (!row) throw problems.responseNotFound()
  return { snapshot, row: withCurrentPositions(snapshot, [row])[0]! }
}

/**
 * Returns the responses with the given ids. Ids that do not exist are ignored. The caller has checked the permission
 * for the survey.
 */
export async function findResponses(
  { em }: Context,
  snapshot: SurveySnapshot,
  ids: readonly number[],
): Promise<Map<number, StoredResponse>> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', snapshot.id)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .execute()
  return new Map(withCurrentPositions(snapshot, rows).map((row) => [row.id, row]))
}
