import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import type { Bounds, Counted, CountPlan, Term } from './count-planner.ts'
import { distinct, type Predicate, predicateName } from './predicate.ts'
import { STATES } from './report-predicates.ts'

type Database = Kysely<Tables>

/** No id is higher, and no chunk has a higher number: what came after the last chunk. */
const END = { id: Number.MAX_SAFE_INTEGER, number: 2 ** 31 - 1 }

/** One part in so many of a survey is looked at, at most; beyond that it is quicker to look at all of it in one go. */
const PART = 2

/**
 * The slots that are wanted, and how each is written in SQL: its count in a chunk, and its marks; null when not kept.
 * `marked`: whether a chunk has marks for all of those that come first.
 */
function readerOf({ counted, exactTerm: exact }: CountPlan, first: readonly Predicate[]) {
  const ways = [...counted, ...(exact ? [exact] : [])]
  const predicates = distinct([
    ...first,
    ...STATES,
    ...ways.flatMap(({ terms: ways, complementOf: outOf }) => [
      ...ways.flatMap(({ predicates, validUnless: unless }) => [...predicates, ...(unless ? [unless] : [])]),
      ...(outOf ?? []),
    ]),
  ])
  const names = predicates.map(predicateName)
  const place = (predicate: Predicate) => sql`places[${sql.lit(names.indexOf(predicateName(predicate)) + 1)}]`
  const count = (predicate: Predicate) => sql<number>`counts[${place(predicate)}]`
  const bits = (predicate: Predicate) => sql<string>`(
    select mark.bits from response_mark as mark
    where mark.survey_id = chunk.survey_id and mark.number = chunk.number and mark.slot = ${place(predicate)})`
  const marked = sql<boolean>`marked >= all(places[1:${sql.lit(distinct(first).length)}])`
  return { names, count, bits, marked }
}

type Reader = ReturnType<typeof readerOf>
type Count = Reader['count']

const sumOf = (predicates: readonly Predicate[], count: Count): RawBuilder<number> =>
  predicates.length > 0 ? sql`(${sql.join(predicates.map(count), sql` + `)})` : sql`0`

const wayOf = ({ predicates, validUnless: unless }: Term, count: Count): RawBuilder<number> =>
  unless ? sql`case when ${count(unless)} = 0 then ${sumOf(predicates, count)} end` : sumOf(predicates, count)

/** How many responses of a chunk pass; null when the sums do not tell. */
function numberOf({ terms: ways, complementOf: outOf }: Counted, count: Count): RawBuilder<number> {
  const passing = sql<number>`coalesce(${sql.join(ways.map((way) => wayOf(way, count)))})`
  return outOf ? sql`${sumOf(outOf, count)} - ${passing}` : passing
}

const at = (time: number) => sql`to_timestamp(${time}::float8 / 1000)`

/** Whether some of the chunk's times lie outside the bounds, and whether all of them do; null when they are not kept. */
const spanOf = (column: Bounds['column']) =>
  column === 'created_at'
    ? { first: sql.ref('first_created'), last: sql.ref('last_created') }
    : { first: sql.ref('first_updated'), last: sql.ref('last_updated') }
const outside = ({ column, since, before }: Bounds) =>
  sql<boolean>`(${spanOf(column).last} < ${at(since)} or ${spanOf(column).first} >= ${at(before)})`
const within = ({ column, since, before }: Bounds) =>
  sql<boolean>`(${spanOf(column).first} >= ${at(since)} and ${spanOf(column).last} < ${at(before)})`

const both = (conditions: readonly RawBuilder<unknown>[], word: 'and' | 'or', none: boolean) =>
  conditions.length > 0 ? sql`(${sql.join(conditions, word === 'and' ? sql` and ` : sql` or `)})` : sql.lit(none)

/** Which responses of a chunk pass all that is counted: what the marks have in common. A survey's states are all of it. */
function passing({ counted }: CountPlan, { count, bits }: Reader): RawBuilder<string> {
  const any = (predicates: readonly Predicate[]) =>
    predicates.length > 0 ? sql`(${sql.join(predicates.map(bits), sql` | `)})` : sql`null::bit varying`
  const marks = counted.map(({ terms: ways, complementOf: outOf }) => {
    const open = ways.map(({ predicates, validUnless: unless }) =>
      unless ? sql`case when ${count(unless)} = 0 then ${any(predicates)} end` : any(predicates),
    )
    return sql`${sql.raw(outOf ? '~' : '')}coalesce(${sql.join(open)})`
  })
  return sql`(${marks.length > 0 ? sql.join(marks, sql` & `) : any(STATES)})`
}

/** The number of a chunk's responses that pass, as far as sums and marks tell it. */
function known(judgement: CountPlan, reader: Reader): RawBuilder<number | null> {
  const { counted, bounds, exactTerm: exact, fullyIndexed: isWhole } = judgement
  const nothing = [
    sql`${sumOf(STATES, reader.count)} = 0`,
    ...counted.map((one) => sql`${numberOf(one, reader.count)} = 0`),
    ...bounds.map(outside),
  ]
  const inside = both(bounds.map(within), 'and', true)
  const told = exact
    ? sql`when ${inside} then ${numberOf(exact, reader.count)}`
    : isWhole
      ? sql`when ${inside} and ${reader.marked} then bit_count(${passing(judgement, reader)})`
      : sql``
  return sql`case when ${both(nothing, 'or', false)} then 0 ${told} end`
}

/**
 * `counted`: the chunks of a survey and what came after the last one, in order, with how many of their responses pass the
 * filters. What the sums do not tell is counted: chunks that were changed since, chunks at the borders of a time, and the
 * end. All of it is one statement, so it sees one moment: the change feed tells what of that moment is in the sums (see
 * report/sums.ts). `counted` is empty where too much would have to be counted, and where there are no sums.
 */
export function segmentsOf(db: Database, surveyId: number, filters: readonly Filter[], judgement: CountPlan) {
  const counted = db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.id > judged.after and response.id <= judged.upto`)
  return sql`${judgedChunks(surveyId, judgement, readerOf(judgement, []))}, counted as materialized (
      select number, after, upto, coalesce(count, (${counted})) as count from judged
      where (select is_little from work)
    )`
}

/**
 * The same by marks alone, for counting other slots among the responses that pass. `judged` has a count only where all
 * those slots are marked.
 * @returns what stands after `with`; who passes in a chunk, where `chunk` and `summary` are at hand; and the names of the
 *   slots whose `places` the summary has, in their order
 */
export function segmentsWithBitmap(
  surveyId: number,
  { counted, bounds, fullyIndexed }: CountPlan,
  predicates: readonly Predicate[],
) {
  const judgement = { counted, bounds, fullyIndexed }
  const reader = readerOf(judgement, predicates)
  return {
    judged: judgedChunks(surveyId, judgement, reader),
    passing: passing(judgement, reader),
    names: reader.names,
  }
}

/** `summary`; `judged`: every chunk and the end, with how many pass, null where that is not told; `work`: how much that is. */
function judgedChunks(surveyId: number, judgement: CountPlan, reader: Reader) {
  const survey = sql`${surveyId}::bigint`
  return sql`
    summary as materialized (
      select seq, last_id, array(
        select array_position(slots, name) from unnest(${reader.names}::text[]) with ordinality as asked(name, place) order by place
      ) as places
      from response_summary where survey_id = ${survey}
    ), chunk as materialized (
      select number, coalesce(lag(chunk.last_id) over (order by number), 0) as after, chunk.last_id as upto,
        ${sumOf(STATES, reader.count)} as size, ${known(judgement, reader)} as count
      from response_chunk as chunk, summary where chunk.survey_id = ${survey}
    ), stale as materialized (
      select distinct width_bucket(response_id, (select array_agg(upto + 1 order by number) from chunk)) as number
      from response_change as change, summary
      where change.survey_id = ${survey} and change.seq > summary.seq and response_id <= summary.last_id
    ), judged as materialized (
      select number, after, upto, size, case when number not in (select number from stale) then count end as count from chunk
      union all
      select ${END.number}::integer, summary.last_id, ${END.id}::bigint, responses - (select coalesce(sum(size), 0) from chunk), null
      from summary, survey_feed where survey_feed.survey_id = ${survey}
    ), work as materialized (
      select sum(size) filter (where count is null) * ${PART}::integer <= sum(size) as is_little from judged
    )`
}
