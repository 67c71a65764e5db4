import type { Context } from '../../../domain/context.ts'
import { Problem } from '../../../domain/problem.ts'
import { type Filter, type Misread, readCondition } from '../../../domain/response/filter/filter.ts'
import { filtersOf } from '../../../domain/response/list/queries.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type ListQuery, narrowing, OWN } from './list-query.ts'

/** A condition as it was written, and what it means or why it means nothing. */
export interface Condition {
  written: string
  read: Filter | Misread
}

/** The element that says what is wrong with the condition of this place. */
export const faultId = (place: number): string => `fault-${place}`

/** What the address asks for, understood. */
export interface Conditions {
  list: readonly Condition[]
  /** What holds for each response shown; undefined where a condition or the named filter makes no sense. */
  filters: readonly Filter[] | undefined
  /** What is wrong with the named filter. */
  namedFault?: string | undefined
}

/** Reads the conditions of the address one by one, so that each fault is told at its own. */
export async function conditionsOf(context: Context, snapshot: SurveySnapshot, asked: ListQuery): Promise<Conditions> {
  const list = asked.conditions.map((written) => ({ written, read: readCondition(snapshot.questionnaire, written) }))
  if (list.some(({ read }) => 'fault' in read)) return { list, filters: undefined }
  const search = { search: narrowing(asked), mode: 'strict', known: OWN, filter: asked.filter } as const
  try {
    return { list, filters: await filtersOf(context, snapshot, search) }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    return { list, filters: undefined, namedFault: error.errors[0]?.message ?? error.message }
  }
}
