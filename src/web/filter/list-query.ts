import type { Context } from '../../domain/context.ts'
import { Problem } from '../../domain/problem.ts'
import {
  type Filter,
  type InvalidCondition,
  pairName,
  parseCondition,
  splitPairs,
} from '../../domain/response/filter/filter.ts'
import { filtersOf } from '../../domain/response/list/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { ZONE_PARAMETER } from '../forms/field.ts'
import { errorText, problemText } from '../i18n/error-texts.ts'
import { perLanguage, t } from '../i18n/t.ts'

/** The state of a list of responses or of a report, as its URL contains it. */
export interface ListQuery {
  /** The conditions in the notation of the URL and of the API, in the order of the URL, without duplicates. */
  conditions: readonly string[]
  /** Name of the saved or predefined filter that applies. */
  filter?: string | undefined
  /** Question IDs and names of meta fields; an empty list selects the default columns. */
  columns: readonly string[]
  /** Language of titles and labels; if it is absent, the survey's default language is used. */
  language?: string | undefined
  oldestFirst: boolean
  /** Only responses with a smaller ID are listed. */
  below?: number | undefined
  /** Only responses with a larger ID are listed. */
  above?: number | undefined
  /** Name of the field for which the page shows a filter form. */
  pick?: string | undefined
  /** Whether the figures of a report are weighted. */
  weighted?: boolean
}

/**
 * Parameters of a page that are not conditions. All except `filter` begin with `view-`, because any other name could be
 * the ID of a question.
 */
const PARAMETERS = {
  filter: 'filter',
  column: 'view-column',
  language: 'view-language',
  order: 'view-order',
  below: 'view-below',
  above: 'view-above',
  pick: 'view-pick',
  weighted: 'view-weighted',
} as const

/**
 * The hidden field in which a search form keeps the conditions that it does not edit, as a query string. Without this
 * field, the conditions would be lost, because a form with the method GET replaces the query of its URL.
 */
export const BASE_PARAMETER = 'view-base'

/** Parameters that the filter form of reports used before version 3.1. URLs with these parameters still work. */
const LEGACY = { added: 'view-add', from: 'view-from', to: 'view-to' } as const

/** Every parameter that is not a condition. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set([
  ...Object.values(PARAMETERS),
  ...Object.values(LEGACY),
  BASE_PARAMETER,
  ZONE_PARAMETER,
  'view-since',
  'view-words',
  'view-before',
  'view-rows',
  'view-columns',
  'view-percent',
  'view-by',
  'view-group',
  'view-previous',
  'view-question',
  'view-period',
  'view-show',
])

const numberIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/**
 * Parses the query string of a list or report.
 * @param search the raw query string
 */
export function parseListQuery(search: string): ListQuery {
  const query = new URLSearchParams(search)
  const legacyDay = (operator: string, name: string) =>
    query.get(name) ? [`_created_at${operator}${query.get(name)}`] : []
  const parts = [
    ...splitPairs(query.get(BASE_PARAMETER) ?? ''),
    ...splitPairs(search),
    ...splitPairs(query.get(LEGACY.added) ?? ''),
    ...legacyDay('>=', LEGACY.from),
    ...legacyDay('<=', LEGACY.to),
  ]
  const filters = parts.filter((part) => pairName(part) === PARAMETERS.filter)
  return {
    conditions: [...new Set(parts.filter((part) => !PAGE_PARAMETERS.has(pairName(part))))],
    filter: new URLSearchParams(filters.at(-1)).get(PARAMETERS.filter) || undefined,
    columns: [...new Set(query.getAll(PARAMETERS.column).filter(Boolean))],
    language: query.get(PARAMETERS.language) || undefined,
    oldestFirst: query.get(PARAMETERS.order) === 'oldest',
    below: numberIn(query.get(PARAMETERS.below)),
    above: numberIn(query.get(PARAMETERS.above)),
    pick: query.get(PARAMETERS.pick) || undefined,
    ...(query.get(PARAMETERS.weighted) === '1' && { weighted: true }),
  }
}

/**
 * Returns the query string that {@link parseListQuery} parses to this query; it begins with `?` unless it is empty.
 * @param more additional parameters of the page
 */
export function formatListQuery(
  { conditions, filter, columns, language, oldestFirst, below, above, pick, weighted }: ListQuery,
  more: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const page = new URLSearchParams()
  const put = (name: string, value: string | number | undefined) =>
    value === undefined || page.append(name, String(value))
  put(PARAMETERS.filter, filter)
  for (const column of columns) put(PARAMETERS.column, column)
  put(PARAMETERS.language, language)
  put(PARAMETERS.order, oldestFirst ? 'oldest' : undefined)
  put(PARAMETERS.below, below)
  put(PARAMETERS.above, above)
  put(PARAMETERS.pick, pick)
  put(PARAMETERS.weighted, weighted ? 1 : undefined)
  for (const [name, value] of Object.entries(more)) put(name, value)
  const text = [...conditions, ...(page.size > 0 ? [page.toString()] : [])].join('&')
  return text && `?${text}`
}

/** Returns the query for the first page of the list with the same filter, columns and order, but without `pick`. */
export const firstPage = (query: ListQuery): ListQuery => ({
  ...query,
  below: undefined,
  above: undefined,
  pick: undefined,
})

/**
 * Returns the conditions and the name of the filter as the query string that the API accepts for the list and the
 * export of responses.
 */
export const formatFilter = ({ conditions, filter }: Pick<ListQuery, 'conditions' | 'filter'>): string =>
  [...conditions, ...(filter === undefined ? [] : [new URLSearchParams({ filter }).toString()])].join('&')

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
