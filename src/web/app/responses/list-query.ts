import { nameOf, partsOf } from '../../../domain/response/filter/filter.ts'

/**
 * What the address of the page asks for. Conditions stand in it as in the API's list, so either address makes the other;
 * what is only about the page has names that no question is likely to have.
 */
export interface ListQuery {
  /** Conditions as they were written, in their order. */
  conditions: readonly string[]
  /** Name of a saved or predefined filter. */
  filter?: string | undefined
  /** Question ids and meta names; none: the usual ones. */
  columns: readonly string[]
  /** Of titles and labels; absent: the survey's default. */
  language?: string | undefined
  oldestFirst: boolean
  /** The list goes on after, or ends before, the response of this id. */
  below?: number | undefined
  above?: number | undefined
  /** What the next condition is to be about. */
  pick?: string | undefined
}

const NAMES = {
  filter: 'filter',
  column: 'view-column',
  language: 'view-language',
  order: 'view-order',
  below: 'view-below',
  above: 'view-above',
  pick: 'view-pick',
  since: 'view-since',
} as const

/** Names in the address that are no conditions. */
export const OWN: ReadonlySet<string> = new Set(Object.values(NAMES))

const numberIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** @param search a raw query string */
export function readAsked(search: string): ListQuery {
  const query = new URLSearchParams(search)
  return {
    conditions: partsOf(search).filter((part) => !OWN.has(nameOf(part))),
    filter: query.get(NAMES.filter) || undefined,
    columns: [...new Set(query.getAll(NAMES.column).filter(Boolean))],
    language: query.get(NAMES.language) || undefined,
    oldestFirst: query.get(NAMES.order) === 'oldest',
    below: numberIn(query.get(NAMES.below)),
    above: numberIn(query.get(NAMES.above)),
    pick: query.get(NAMES.pick) || undefined,
  }
}

/** How far the feed had come when the page was made that asks for what is new. */
export const sinceIn = (query: URLSearchParams): number => numberIn(query.get(NAMES.since)) ?? 0

/** The query string that {@link readAsked} reads as the same, with a `?` where there is anything. */
export function searchOf(asked: ListQuery, since?: number): string {
  const view = new URLSearchParams()
  const put = (name: string, value: string | number | undefined) =>
    value === undefined || view.append(name, String(value))
  put(NAMES.filter, asked.filter)
  for (const column of asked.columns) put(NAMES.column, column)
  put(NAMES.language, asked.language)
  put(NAMES.order, asked.oldestFirst ? 'oldest' : undefined)
  put(NAMES.below, asked.below)
  put(NAMES.above, asked.above)
  put(NAMES.pick, asked.pick)
  put(NAMES.since, since)
  const text = [...asked.conditions, ...(view.size > 0 ? [view.toString()] : [])].join('&')
  return text && `?${text}`
}

/** The same from its beginning: what is asked for has changed. */
export const fromStart = (asked: ListQuery): ListQuery => ({
  ...asked,
  below: undefined,
  above: undefined,
  pick: undefined,
})

/** Conditions and named filter alone, as the API's list and the export take them. */
export const narrowing = ({ conditions, filter }: ListQuery): string =>
  [...conditions, ...(filter === undefined ? [] : [new URLSearchParams({ filter }).toString()])].join('&')
