import { type Kysely, type Selectable, sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import { executePrepared } from '../execute-prepared.ts'
import type { Filter } from '../response/filter/filter.ts'
import { type StoredResponse, whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { type CountPlan, planCount } from './counts.ts'
import { countedRanges } from './segments.ts'
import { SEGMENT_RESPONSES } from './state.ts'

type Database = Kysely<Tables>

/**
 * Counts the responses of a survey that pass the filters.
 * @returns undefined if the rollup cannot be used
 */
async function countFromRollup(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  plan: CountPlan,
): Promise<number | undefined> {
  const rows = await executePrepared<{ total: number | null }>(
    db,
    sql`with ${countedRanges(db, surveyId, filters, plan)} select sum(count)::bigint as total from counted_range`,
  )
  return rows[0]?.total ?? undefined
}

type Row = Selectable<Tables['response']>

/** All columns of a response. Prepared statements need the names of columns (see {@link prepare}). */
const COLUMNS = [
  ...(['survey_id', 'id', 'collector_id', 'completed', 'locale', 'saves', 'completion_time', 'created_at'] as const),
  ...(['updated_at', 'weighted_score', 'key', 'answers', 'language', 'username', 'ip_address'] as const),
  ...(['get_variables', 'referrer', 'pagepath', 'invite_code', 'invite_email', 'invite_name', 'invite_once'] as const),
  ...(['number', 'active_seconds'] as const),
] satisfies (keyof Row)[]

/**
 * Counts the responses that pass the filters and reads one page of them. Reads the rows only in segments that overlap
 * the page.
 * @returns undefined if the rollup cannot be used
 */
export async function pageFromRollup(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  plan: CountPlan,
  { offset, limit }: Slice,
): Promise<{ total: number; rows: Row[] } | undefined> {
  const start = sql`${offset}::bigint`
  const inRange = sql<boolean>`response.id > offset_range.after and response.id <= offset_range.upto`
  const skipped = sql<number>`greatest(${start} - offset_range.before, 0)`
  const passing = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .where(inRange)
    .orderBy('response.id')
  // Without filters, the responses before the page are skipped in the index of the primary key.
  const firstId = passing.select('response.id').offset(skipped).limit(1)
  const pageOfRange = passing
    .select(COLUMNS.map((column) => `response.${column}` as const))
    .$if(filters.length === 0, (rows) => rows.where('response.id', '>=', firstId))
    .$if(filters.length > 0, (rows) => rows.offset(skipped))
    .limit(limit)
  const rows = await executePrepared<Row & { total: number | null }>(
    db,
    sql`
    with ${countedRanges(db, surveyId, filters, plan)}, offset_range as (
      select after, upto, count, (sum(count) over (order by number) - count)::bigint as before from counted_range
    ), page as materialized (
      select found.* from offset_range cross join lateral (${pageOfRange}) as found
      where offset_range.before < ${start} + ${limit}::integer and offset_range.before + offset_range.count > ${start}
      order by found.id limit ${limit}::integer
    )
    select (select sum(count) from counted_range)::bigint as total, page.*
    from (values (1)) as one left join page on true
    order by page.id`,
  )
  const total = rows[0]?.total
  if (total === null || total === undefined) return undefined
  return { total, rows: rows.filter(({ id }) => id !== null) }
}

/**
 * A survey whose responses are listed. The planner remembers the size by this object, so always pass the same object for
 * a survey.
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

/** Surveys with fewer responses than a segment has. They have no rollup. */
const smallSurveys = new WeakSet<ListedSurvey>()

const planOf = (survey: ListedSurvey, filters: readonly Filter[]) =>
  smallSurveys.has(survey) ? undefined : planCount(filters)

/** Counts and lists responses with stored counts. */
export const listPlanner = {
  /** Counts the responses that pass the filters; undefined if stored counts cannot be used. */
  async count(db: Database, survey: ListedSurvey, filters: readonly Filter[]): Promise<number | undefined> {
    const plan = planOf(survey, filters)
    return plan && countFromRollup(db, survey.id, filters, plan)
  },

  /** Counts the responses that pass the filters and reads a page; undefined if stored counts cannot be used. */
  async page(
    db: Database,
    survey: ListedSurvey,
    filters: readonly Filter[],
    slice: Slice,
  ): Promise<ResponseList | undefined> {
    const plan = planOf(survey, filters)
    return plan && pageFromRollup(db, survey.id, filters, plan, slice)
  },

  /** Records the size of a survey, so that `count` and `page` skip small surveys without a query. */
  noteSize(survey: ListedSurvey, responses: number): void {
    if (responses < SEGMENT_RESPONSES) smallSurveys.add(survey)
    else smallSurveys.delete(survey)
  },
}
