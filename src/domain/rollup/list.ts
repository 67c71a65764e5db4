import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import { prepare } from '../../lib/prepared.ts'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import type { CountPlan } from './count-planner.ts'
import { segmentsOf } from './segments.ts'

type Database = Kysely<Tables>

/** How many responses of a survey pass the filters, by its sums; undefined: they do not help. */
export async function countFromRollup(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  judgement: CountPlan,
): Promise<number | undefined> {
  const rows = await prepared<{ total: number | null }>(
    db,
    sql`with ${segmentsOf(db, surveyId, filters, judgement)} select sum(count)::bigint as total from counted`,
  )
  return rows[0]?.total ?? undefined
}

type Row = Selectable<Tables['response']>

/** Everything that is stored of a response, by name: see {@link prepare}. */
const COLUMNS = [
  ...(['survey_id', 'id', 'collector_id', 'completed', 'locale', 'saves', 'completion_time', 'created_at'] as const),
  ...(['updated_at', 'weighted_score', 'key', 'answers', 'language', 'username', 'ip_address'] as const),
  ...(['get_variables', 'referrer', 'pagepath', 'invite_code', 'invite_email', 'invite_name', 'invite_once'] as const),
] satisfies (keyof Row)[]

/**
 * How many responses pass the filters, and those of a slice: only the chunks that have some of the slice are read.
 * Undefined: the sums do not help.
 */
export async function pageFromRollup(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  judgement: CountPlan,
  { offset, limit }: Slice,
): Promise<{ total: number; rows: Row[] } | undefined> {
  const start = sql`${offset}::bigint`
  const within = sql<boolean>`response.id > placed.after and response.id <= placed.upto`
  const skipped = sql<number>`greatest(${start} - placed.before, 0)`
  const passing = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .where(within)
    .orderBy('response.id')
  // Without filters what comes before the slice is walked in the primary key alone.
  const first = passing.select('response.id').offset(skipped).limit(1)
  const inChunk = passing
    .select(COLUMNS.map((column) => `response.${column}` as const))
    .$if(filters.length === 0, (rows) => rows.where('response.id', '>=', first))
    .$if(filters.length > 0, (rows) => rows.offset(skipped))
    .limit(limit)
  const rows = await prepared<Row & { total: number | null }>(
    db,
    sql`
    with ${segmentsOf(db, surveyId, filters, judgement)}, placed as (
      select after, upto, count, (sum(count) over (order by number) - count)::bigint as before from counted
    ), page as materialized (
      select found.* from placed cross join lateral (${inChunk}) as found
      where placed.before < ${start} + ${limit}::integer and placed.before + placed.count > ${start}
      order by found.id limit ${limit}::integer
    )
    select (select sum(count) from counted)::bigint as total, page.* from (values (1)) as one left join page on true
    order by page.id`,
  )
  const total = rows[0]?.total
  if (total === null || total === undefined) return undefined
  return { total, rows: rows.filter(({ id }) => id !== null) }
}

async function prepared<Result>(db: Database, statement: RawBuilder<unknown>): Promise<Result[]> {
  const query = statement.compile(db)
  prepare(query.sql)
  const { rows } = await db.executeQuery(query)
  return rows as Result[]
}
