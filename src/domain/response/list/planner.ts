import type { Kysely } from 'kysely'
import type { Slice } from '../../../lib/paging.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import type { StoredResponse } from '../filter/stored-response.ts'

/** A survey whose responses are listed. The planner caches per object, so pass the same object for the same survey. */
export interface ListedSurvey {
  readonly id: number
}

export interface ResponseList {
  /** Number of responses that pass the filters. */
  total: number
  /** The responses of the page, by id. */
  rows: StoredResponse[]
}

/** Answers lists from stored counts. The application hands it in: lists do not depend on how responses are counted. */
export interface ListPlanner {
  /** Counts the responses that pass the filters; undefined where stored counts do not help. */
  count(db: Kysely<Tables>, survey: ListedSurvey, filters: readonly Filter[]): Promise<number | undefined>
  /** Counts the responses that pass the filters and reads a page; undefined where stored counts do not help. */
  page(
    db: Kysely<Tables>,
    survey: ListedSurvey,
    filters: readonly Filter[],
    slice: Slice,
  ): Promise<ResponseList | undefined>
  /** Notes the size of a survey, so that `count` and `page` return undefined for a small one without a query. */
  noteSize(survey: ListedSurvey, responses: number): void
}
