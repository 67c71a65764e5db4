import { type Kysely, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { counting, type Row } from './aggregate.ts'
import { planCount } from './count-planner.ts'
import { type Counts, countsOf, distinct, type Predicate, predicateName } from './predicate.ts'
import { segmentsWithBitmap } from './segments.ts'

/** Slots counted by one statement at most: PostgreSQL allows 1664 columns. */
const MOST = 1_000

/**
 * Counts slots among the responses that pass every filter, by the marks of chunks: who passes and who says a slot have
 * bits in common. Chunks that were changed since, those at the borders of a time, and what came after the last one are
 * read. All of it is one statement, so it sees one moment.
 * @returns undefined where there are no marks, or they tell too little of the filters
 */
export async function crossTabulate(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  asked: readonly Predicate[],
): Promise<Counts | undefined> {
  const predicates = distinct(asked)
  const judgement = planCount(filters)
  if (!judgement?.fullyIndexed || predicates.length > MOST) return undefined
  const { judged, passing, names } = segmentsWithBitmap(surveyId, judgement, predicates)
  const { from, counts } = counting(predicates)
  const looked = db
    .selectFrom('response')
    .select(['completed', 'answers'])
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.id > judged.after and response.id <= judged.upto`)
  const { rows } = await sql<Row & { told: (number | null)[] | null }>`
    with ${judged}, passing as materialized (
      select chunk.number, ${passing} as bits from judged, summary, response_chunk as chunk
      where chunk.survey_id = ${surveyId}::bigint and chunk.number = judged.number and judged.count > 0
        and (select is_little from work)
    ), told as materialized (
      select mark.slot, sum(bit_count(mark.bits & passing.bits))::bigint as count
      from passing join response_mark as mark on mark.survey_id = ${surveyId}::bigint and mark.number = passing.number
      where mark.slot = any((select places from summary)::integer[])
      group by mark.slot
    )
    select (
      select jsonb_agg(coalesce(told.count, 0) order by nth)
      from unnest((select places from summary)) with ordinality as asked(slot, nth) left join told using (slot)
      where (select is_little from work)
    ) as told, ${counts}
    from (
      select looked.* from judged cross join lateral (${looked}) as looked
      where judged.count is null and (select is_little from work)
    ) as response, ${from}`.execute(db)
  const [row] = rows
  if (!row?.told) return undefined
  const places = new Map(names.map((name, at) => [name, at]))
  const { told } = row
  return countsOf(
    predicates,
    predicates.map((predicate, at) => (told[places.get(predicateName(predicate))!] ?? 0) + (row[`c${at}`] ?? 0)),
  )
}
