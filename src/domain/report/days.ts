import { type Kysely, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'

/** Number of responses that were started on a day. */
export interface DayCount {
  /** Such as `2026-01-31`. */
  day: string
  count: number
}

/**
 * Counts, for each day, the responses that pass every filter and were started on that day. Omits days without
 * responses.
 * @param timeZone a name that PostgreSQL knows
 */
export const countDays = (
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  timeZone: string,
): Promise<DayCount[]> =>
  db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .select((eb) => [sql<string>`to_char(day_of.day, 'YYYY-MM-DD')`.as('day'), eb.fn.countAll<number>().as('count')])
    .innerJoinLateral(
      sql<{ day: string }>`(select (response.created_at at time zone ${timeZone}::text)::date as day)`.as('day_of'),
      (join) => join.onTrue(),
    )
    .groupBy('day_of.day')
    .orderBy('day_of.day')
    .execute()
