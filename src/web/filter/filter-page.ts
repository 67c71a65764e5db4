import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import type { TextContext } from './fields.ts'
import { firstPage, formatListQuery, type ListQuery } from './list-query.ts'

/** A page whose URL filters responses: the list of responses, or a report. */
export interface FilterPage {
  /** The path of the page, without a query. */
  listPath: string
  listQuery: ListQuery
  snapshot: SurveySnapshot
  textContext: TextContext
}

/** Returns the address of the first page of the list, after the given changes of its query. */
export const pathOf = ({ listPath, listQuery }: FilterPage, changes: Partial<ListQuery> = {}): string =>
  listPath + formatListQuery({ ...firstPage(listQuery), ...changes })

/** Returns the ID of the element that contains the error of a condition. */
export const errorId = (index: number): string => `condition-error-${index}`
