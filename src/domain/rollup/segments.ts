import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Filter } from '../response/filter/filter.ts'
import {
  type CountRow,
  type Counts,
  countColumns,
  countPredicates,
  createCounts,
  distinctPredicates,
  type Predicate,
  predicateName,
  STATES,
} from '../response/filter/predicate.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import {
  type CountedCondition,
  type CountedTerms,
  type CountPlan,
  countAllFromRollup,
  planCount,
  type Term,
  type TimeBounds,
} from './counts.ts'

type Database = Kysely<Tables>

/**
 * End and number of the tail, which is the range after the last segment. They are greater than every id and every
 * segment number.
 */
const TAIL = { upto: Number.MAX_SAFE_INTEGER, number: 2 ** 31 - 1 }

/**
 * If a statement would have to read more than half of the responses (one divided by this number), it is faster to count
 * all responses in one pass.
 */
const MAX_LIVE_PART_DIVISOR = 2

/** SQL expressions over a segment. Expressions are null for predicates that the rollup does not count. */
interface SegmentColumns {
  /** Names of the predicates, in the order of `positions`. */
  names: string[]
  count(predicate: Predicate): RawBuilder<number>
  bits(predicate: Predicate): RawBuilder<string>
  /** Whether the segment has bitmaps of all requested predicates. */
  isIndexed: RawBuilder<boolean>
}

function segmentColumns({ counted, exactTerm }: CountPlan, requested: readonly Predicate[]): SegmentColumns {
  const conditions = [...counted.flatMap(termsOf), ...(exactTerm ? [exactTerm] : [])]
  const predicates = distinctPredicates([
    ...requested,
    ...STATES,
    ...conditions.flatMap(({ terms, complementOf }) => [
      ...terms.flatMap(({ predicates, validUnless }) => [...predicates, ...(validUnless ? [validUnless] : [])]),
      ...(complementOf ?? []),
    ]),
  ])
  const names = predicates.map(predicateName)
  const position = (predicate: Predicate) => sql`positions[${sql.lit(names.indexOf(predicateName(predicate)) + 1)}]`
  return {
    names,
    count: (predicate) => sql<number>`counts[${position(predicate)}]`,
    bits: (predicate) => sql<string>`(
    select bitmap.bits from response_bitmap as bitmap
    where bitmap.survey_id = segment.survey_id and bitmap.segment_number = segment.number
      and bitmap.predicate_number = ${position(predicate)})`,
    isIndexed: sql<boolean>`indexed_predicates >= all(positions[1:${sql.lit(distinctPredicates(requested).length)}])`,
  }
}

const termsOf = (condition: CountedCondition): readonly CountedTerms[] =>
  'anyOf' in condition ? condition.anyOf : [condition]

type CountColumn = SegmentColumns['count']

const sumOf = (predicates: readonly Predicate[], count: CountColumn): RawBuilder<number> =>
  predicates.length > 0 ? sql`(${sql.join(predicates.map(count), sql` + `)})` : sql`0`

const termCount = ({ predicates, validUnless }: Term, count: CountColumn): RawBuilder<number> =>
  validUnless ? sql`case when ${count(validUnless)} = 0 then ${sumOf(predicates, count)} end` : sumOf(predicates, count)

/** Builds the number of responses of a segment that pass a condition; null if no term is valid. */
function conditionCount({ terms, complementOf }: CountedTerms, count: CountColumn): RawBuilder<number> {
  const passing = sql<number>`coalesce(${sql.join(terms.map((term) => termCount(term, count)))})`
  return complementOf ? sql`${sumOf(complementOf, count)} - ${passing}` : passing
}

const timestamp = (time: number) => sql`to_timestamp(${time}::float8 / 1000)`

const timeRange = (column: TimeBounds['column']) =>
  column === 'created_at'
    ? { first: sql.ref('first_created'), last: sql.ref('last_created') }
    : { first: sql.ref('first_updated'), last: sql.ref('last_updated') }
const isOutside = ({ column, since, before }: TimeBounds) =>
  sql<boolean>`(${timeRange(column).last} < ${timestamp(since)} or ${timeRange(column).first} >= ${timestamp(before)})`
const isInside = ({ column, since, before }: TimeBounds) =>
  sql<boolean>`(${timeRange(column).first} >= ${timestamp(since)} and ${timeRange(column).last} < ${timestamp(before)})`

const allOf = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length > 0 ? sql`(${sql.join(conditions, sql` and `)})` : sql.lit(true)
const anyOf = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length > 0 ? sql`(${sql.join(conditions, sql` or `)})` : sql.lit(false)

/**
 * Builds the bits of the responses of a segment that pass all counted conditions; without conditions, all responses.
 */
function passingBits({ counted }: CountPlan, { count, bits }: SegmentColumns): RawBuilder<string> {
  const union = (predicates: readonly Predicate[]) =>
    predicates.length > 0 ? sql`(${sql.join(predicates.map(bits), sql` | `)})` : sql`null::bit varying`
  const termBits = ({ terms, complementOf }: CountedTerms) => {
    const valid = terms.map(({ predicates, validUnless }) =>
      validUnless ? sql`case when ${count(validUnless)} = 0 then ${union(predicates)} end` : union(predicates),
    )
    return sql`${sql.raw(complementOf ? '~' : '')}coalesce(${sql.join(valid)})`
  }
  const conditions = counted.map((condition) => sql`(${sql.join(termsOf(condition).map(termBits), sql` | `)})`)
  return sql`(${conditions.length > 0 ? sql.join(conditions, sql` & `) : union(STATES)})`
}

/**
 * Builds the number of responses of a segment that pass the filters; null if counts and bitmaps cannot determine it.
 */
function storedCount(plan: CountPlan, columns: SegmentColumns): RawBuilder<number | null> {
  const { counted, bounds, exactTerm, fullyIndexed } = plan
  const isEmpty = [
    sql`${sumOf(STATES, columns.count)} = 0`,
    ...counted.map((condition) =>
      allOf(termsOf(condition).map((one) => sql`${conditionCount(one, columns.count)} = 0`)),
    ),
    ...bounds.map(isOutside),
  ]
  const inside = allOf(bounds.map(isInside))
  const exact = exactTerm
    ? sql`when ${inside} then ${conditionCount(exactTerm, columns.count)}`
    : fullyIndexed
      ? sql`when ${inside} and ${columns.isIndexed} then bit_count(${passingBits(plan, columns)})`
      : sql``
  return sql`case when ${anyOf(isEmpty)} then 0 ${exact} end`
}

/**
 * Builds the common table expression `counted_range`: the segments of a survey and the tail, in order, with the number
 * of their responses that pass the filters. If stored counts and bitmaps do not determine this number for a range, the
 * statement counts the responses of the range while it runs (live). Examples are changed segments, segments that lie
 * only partly in the period of a time filter, and the tail. The expression is empty if there is no rollup, or if too
 * many responses would be counted live. The statement reads the counts and the change feed in one snapshot. The feed
 * shows which segments changed after they were counted (state.ts).
 */
export function countedRanges(db: Database, surveyId: number, filters: readonly Filter[], plan: CountPlan) {
  const liveCount = liveResponses(db, surveyId, filters).select((eb) => eb.fn.countAll<number>().as('count'))
  return sql`${idRanges(surveyId, plan, segmentColumns(plan, []))}, counted_range as materialized (
      select number, after, upto, coalesce(count, (${liveCount})) as count from id_range
      where (select is_cheap from live_work)
    )`
}

/**
 * Builds the query of the responses in a row of `id_range` that pass the filters, for a lateral join. With `offset 0`,
 * PostgreSQL reads them by their index for each range; without, it can read the whole table for all ranges together, which
 * takes minutes at 10,000,000 responses.
 */
export const liveResponses = (db: Database, surveyId: number, filters: readonly Filter[]) =>
  db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.id > id_range.after and response.id <= id_range.upto`)
    .offset(sql.lit(0))

/**
 * Builds the parts of a statement that counts predicates among the responses that pass the filters. A range whose
 * `count` is greater than 0 has bitmaps of all these predicates.
 * @returns `ranges`: the common table expressions; `passing`: the bits of the responses that pass, an expression over
 *   `segment` and `rollup`; `names`: the names of the predicates, in the order of `rollup.positions`
 */
export function bitmapRanges(
  surveyId: number,
  { counted, bounds, fullyIndexed }: CountPlan,
  predicates: readonly Predicate[],
) {
  const plan = { counted, bounds, fullyIndexed }
  const columns = segmentColumns(plan, predicates)
  return {
    ranges: idRanges(surveyId, plan, columns),
    passing: passingBits(plan, columns),
    names: columns.names,
  }
}

/**
 * Builds common table expressions, of which callers use three:
 * - `rollup`: the rollup of the survey.
 * - `id_range`: every segment and the tail, with the number of responses that pass (`count`), from stored counts and
 *   bitmaps. The number is null if the responses must be counted live.
 * - `live_work`: whether counting live is cheap.
 */
function idRanges(surveyId: number, plan: CountPlan, columns: SegmentColumns) {
  const survey = sql`${surveyId}::bigint`
  return sql`
    rollup as materialized (
      select seq, last_id, array(
        select array_position(predicates, name)
        from unnest(${columns.names}::text[]) with ordinality as requested(name, position) order by position
      ) as positions
      from response_rollup where survey_id = ${survey}
    ), segment as materialized (
      select number, coalesce(lag(segment.last_id) over (order by number), 0) as after, segment.last_id as upto,
        ${sumOf(STATES, columns.count)} as size, ${storedCount(plan, columns)} as count
      from response_segment as segment, rollup where segment.survey_id = ${survey}
    ), changed_segment as materialized (
      select distinct width_bucket(response_id, (select array_agg(upto + 1 order by number) from segment)) as number
      from response_change as change, rollup
      where change.survey_id = ${survey} and change.seq > rollup.seq and response_id <= rollup.last_id
    ), id_range as materialized (
      select number, after, upto, size,
        case when number not in (select number from changed_segment) then count end as count
      from segment
      union all
      select ${TAIL.number}::integer, rollup.last_id, ${TAIL.upto}::bigint,
        responses - (select coalesce(sum(size), 0) from segment), null
      from rollup, survey_feed where survey_feed.survey_id = ${survey}
    ), live_work as materialized (
      select sum(size) filter (where count is null) * ${MAX_LIVE_PART_DIVISOR}::integer <= sum(size) as is_cheap
      from id_range
    )`
}

/**
 * Counts predicates among the responses of a survey that pass every filter.
 * @param options `inTransaction`: as for {@link countAllFromRollup}
 */
export async function countByRollup(
  context: Pick<PublicContext, 'em'>,
  surveyId: number,
  filters: readonly Filter[],
  predicates: readonly Predicate[],
  options?: { inTransaction?: boolean },
): Promise<Counts> {
  if (!filters.length) return countAllFromRollup(context, surveyId, predicates, options)
  const db = context.em.getKysely<Tables>()
  const counts = await crossTabulate(db, surveyId, filters, predicates)
  return counts ?? countPredicates(db, surveyId, filters, predicates)
}

/** Maximum number of predicates per statement. PostgreSQL supports 1,664 columns. */
const MAX_PREDICATES_PER_STATEMENT = 1_000

/**
 * Uses bitmaps to count predicates among the responses that pass every filter. For each segment, combines the bits of
 * the filters with the bits of each predicate. Reads the responses of changed segments, of segments that lie only
 * partly in the period of a time filter, and after the last segment. Uses one statement, so that all counts come from
 * one snapshot.
 * @returns undefined if bitmaps cannot evaluate the filters, if there are too many predicates, or if too many responses
 *   would have to be read, for example because bitmaps are missing
 */
export async function crossTabulate(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  requested: readonly Predicate[],
): Promise<Counts | undefined> {
  const predicates = distinctPredicates(requested)
  const plan = planCount(filters)
  if (!plan?.fullyIndexed || predicates.length > MAX_PREDICATES_PER_STATEMENT) return undefined
  const { ranges, passing, names } = bitmapRanges(surveyId, plan, predicates)
  const { from, counts } = countColumns(predicates)
  const live = liveResponses(db, surveyId, filters).select(['completed', 'answers'])
  const { rows } = await sql<CountRow & { stored_counts: (number | null)[] | null }>`
    with ${ranges}, passing as materialized (
      select segment.number, ${passing} as bits from id_range, rollup, response_segment as segment
      where segment.survey_id = ${surveyId}::bigint and segment.number = id_range.number and id_range.count > 0
        and (select is_cheap from live_work)
    ), bitmap_count as materialized (
      select bitmap.predicate_number, sum(bit_count(bitmap.bits & passing.bits))::bigint as count
      from passing join response_bitmap as bitmap
        on bitmap.survey_id = ${surveyId}::bigint and bitmap.segment_number = passing.number
      where bitmap.predicate_number = any((select positions from rollup)::integer[])
      group by bitmap.predicate_number
    )
    select case when (select is_cheap from live_work) then (
      select jsonb_agg(coalesce(bitmap_count.count, 0) order by ordinality)
      from unnest((select positions from rollup)) with ordinality as requested(predicate_number, ordinality)
      left join bitmap_count using (predicate_number)
    ) end as stored_counts, ${counts}
    from (
      select live.* from id_range cross join lateral (${live}) as live
      where id_range.count is null and (select is_cheap from live_work)
    ) as response, ${from}`.execute(db)
  const [row] = rows
  if (!row?.stored_counts) return undefined
  const { stored_counts: stored } = row
  const positions = new Map(names.map((name, index) => [name, index]))
  return createCounts(
    predicates,
    predicates.map(
      (predicate, index) => (stored[positions.get(predicateName(predicate))!] ?? 0) + (row[`c${index}`] ?? 0),
    ),
  )
}
