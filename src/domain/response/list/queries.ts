import type { Slice } from '../../../lib/paging.ts'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { findSnapshot } from '../../survey/queries.ts'
import { peekSnapshot, type SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { type Filter, parseFilters } from '../filter/filter.ts'
import { withoutIdentity } from '../filter/identity.ts'
import { readRows, type StoredResponse } from '../filter/matches.ts'
import { namedFilter } from '../filter/named-filter.ts'
import { pageOfResponses, type ResponseList } from './page.ts'

/** Which responses of a survey are asked for. */
export interface ResponseSearch {
  /** The query string as it was sent. */
  search: string
  /** `strict` refuses a name that the survey does not know, `lenient` passes it over. */
  mode: 'strict' | 'lenient'
  /** Names in the query string that are no filters. */
  known: ReadonlySet<string>
  /** Name of a saved or predefined filter. */
  filter?: string | undefined
  /** More conditions, kept earlier (`printSaved`): every name in them is one. */
  also?: string | undefined
}

const NOTHING: ReadonlySet<string> = new Set()

/**
 * Every condition of a search: those of the query string, those behind the name of a filter and those kept. They find no more than
 * is shown of anonymous responses.
 * @throws {Problem} `invalid_request` naming each parameter that makes no sense
 */
export async function filtersOf(context: Context, snapshot: SurveySnapshot, asked: ResponseSearch): Promise<Filter[]> {
  const filters = parseFilters(asked.search, snapshot.questionnaire, asked.mode, asked.known)
  const named = asked.filter === undefined ? [] : await namedFilter(context, snapshot, asked.filter)
  const kept = asked.also ? parseFilters(asked.also, snapshot.questionnaire, 'strict', NOTHING, true) : []
  return withoutIdentity([...filters, ...named, ...kept], snapshot)
}

/** The responses of a survey that pass every filter, by id: how many, and those of the slice. */
export const listResponses = (
  { em }: Context,
  snapshot: SurveySnapshot,
  { filters, ...slice }: Slice & { filters: readonly Filter[] },
): Promise<ResponseList> =>
  pageOfResponses(em.getKysely<Tables>(), snapshot, filters, slice).then(({ total, rows }) => ({
    total,
    rows: readRows(snapshot, rows),
  }))

/**
 * Searches a survey that the actor may see. When the survey has been seen before, it is read as it was then while it is
 * checked whether it still is: nearly always one wait instead of two.
 * @throws {Problem} `survey_not_found`, or as {@link filtersOf}
 */
export async function searchResponses(
  context: Context,
  surveyId: number,
  asked: ResponseSearch,
  slice: Slice,
): Promise<ResponseList & { snapshot: SurveySnapshot }> {
  const list = async (snapshot: SurveySnapshot) => {
    const filters = await filtersOf(context, snapshot, asked)
    return { snapshot, ...(await listResponses(context, snapshot, { filters, ...slice })) }
  }
  const seen = peekSnapshot(context.services, surveyId)
  const early = seen && list(seen)
  // Whatever goes wrong with a survey that has changed since does not count.
  early?.catch(() => undefined)
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  return early && snapshot === seen ? early : list(snapshot)
}

/** One response of a survey that the actor may see. @throws {Problem} `survey_not_found`, `response_not_found` */
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
