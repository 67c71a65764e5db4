import type { Context } from '../../domain/context.ts'
import { Problem } from '../../domain/problem.ts'
import { type Filter, type InvalidCondition, parseCondition } from '../../domain/response/filter/filter.ts'
import { filtersOf } from '../../domain/response/list/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { errorText, problemText } from '../i18n/error-texts.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { formatFilter, type ListQuery, PAGE_PARAMETERS } from './list-query.ts'

export const INVALID_FILTER = perLanguage(() => t('One of the filters is invalid. Edit or remove it.'))

/** The filter in a URL: each condition as text, with the parsed condition or its error. */
export interface Conditions {
  list: readonly { source: string; parsed: Filter | InvalidCondition }[]
  /** The filters that select responses; undefined if a condition, or the filter that the URL names, is invalid. */
  filters: readonly Filter[] | undefined
  /** The error if the filter that the URL names does not exist or is invalid. */
  namedError?: string | undefined
}

/** Reads the conditions in a URL one by one, so that the page can show each error beside its condition. */
export async function resolveConditions(
  context: Context,
  snapshot: SurveySnapshot,
  query: ListQuery,
): Promise<Conditions> {
  const list = query.conditions.map((source) => ({ source, parsed: parseCondition(snapshot.questionnaire, source) }))
  if (list.some(({ parsed }) => 'error' in parsed)) return { list, filters: undefined }
  const search = {
    search: formatFilter(query),
    mode: 'strict',
    parameters: PAGE_PARAMETERS,
    filter: query.filter,
  } as const
  try {
    return { list, filters: await filtersOf(context, snapshot, search) }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    return { list, filters: undefined, namedError: error.errors[0] ? errorText(error.errors[0]) : problemText(error) }
  }
}
