import type { Kysely } from 'kysely'
import type { Slice } from '../../../lib/paging.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import type { StoredResponse } from '../filter/stored-response.ts'

/**
 * A survey whose responses are listed. Planners cache data by this object, so always pass the same object for a survey.
 */
export interface ListedSurvey {
  readonly id: number
}

export interface ResponseList {
  /** Number of responses that pass the filters. */
  total: number
  /** The responses of the page, in order of id. */
  rows: StoredResponse[]
}

/**
 * Counts and lists responses with stored counts. bootstrap.ts passes the planner to the functions that list responses,
 * so that their code does not depend on the rollup.
 */
export interface ListPlanner {
  /** Counts the responses that pass the filters; undefined if stored counts cannot be used. */
  count(db: Kysely<Tables>, survey: ListedSurvey, filters: readonly Filter[]): Promise<number | undefined>
  /** Counts the responses that pass the filters and reads a page; undefined if stored counts cannot be used. */
  page(
    db: Kysely<Tables>,
    survey: ListedSurvey,
    filters: readonly Filter[],
    slice: Slice,
  ): Promise<ResponseList | undefined>
  /** Records the size of a survey, so that `count` and `page` skip small surveys without a query. */
  noteSize(survey: ListedSurvey, responses: number): void
}
