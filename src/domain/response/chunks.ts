import { type Kysely, type RawBuilder, sql } from 'kysely'
import { STATES } from '../report/figures.ts'
import { distinct, type Slot, slotName } from '../report/slot.ts'
import type { Tables } from '../tables.ts'
import type { Filter } from './filter.ts'
import type { Bounds, Counted, Judgement, Way } from './judge.ts'
import { whereResponses } from './where.ts'

type Database = Kysely<Tables>

/** No id is higher, and no chunk has a higher number: what came after the last chunk. */
const END = { id: Number.MAX_SAFE_INTEGER, number: 2 ** 31 - 1 }

/** One part in so many of a survey is looked at, at most; beyond that it is quicker to look at all of it in one go. */
const PART = 2

/** The slots that a judgement wants, and how each is written in SQL: its count in a chunk, null when it is not kept. */
function readerOf({ counted, exact }: Judgement) {
  const ways = [...counted, ...(exact ? [exact] : [])]
  const slots = distinct([
    ...STATES,
    ...ways.flatMap(({ ways, outOf }) => [
      ...ways.flatMap(({ slots, unless }) => [...slots, ...(unless ? [unless] : [])]),
      ...(outOf ?? []),
    ]),
  ])
  const names = slots.map(slotName)
  const count = (slot: Slot) => sql<number>`counts[places[${sql.lit(names.indexOf(slotName(slot)) + 1)}]]`
  return { names, count }
}

type Count = ReturnType<typeof readerOf>['count']

const sumOf = (slots: readonly Slot[], count: Count): RawBuilder<number> =>
  slots.length > 0 ? sql`(${sql.join(slots.map(count), sql` + `)})` : sql`0`

const wayOf = ({ slots, unless }: Way, count: Count): RawBuilder<number> =>
  unless ? sql`case when ${count(unless)} = 0 then ${sumOf(slots, count)} end` : sumOf(slots, count)

/** How many responses of a chunk pass; null when the sums do not tell. */
function numberOf({ ways, outOf }: Counted, count: Count): RawBuilder<number> {
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

/** The number of a chunk's responses that pass, as far as the sums tell it. */
function known({ counted, bounds, exact }: Judgement, count: Count): RawBuilder<number | null> {
  const nothing = [
    sql`${sumOf(STATES, count)} = 0`,
    ...counted.map((one) => sql`${numberOf(one, count)} = 0`),
    ...bounds.map(outside),
  ]
  const told = exact ? sql`when ${both(bounds.map(within), 'and', true)} then ${numberOf(exact, count)}` : sql``
  return sql`case when ${both(nothing, 'or', false)} then 0 ${told} end`
}

/**
 * `counted`: the chunks of a survey and what came after the last one, in order, with how many of their responses pass the
 * filters. What the sums do not tell is counted: chunks that were changed since, chunks at the borders of a time, and the
 * end. All of it is one statement, so it sees one moment: the change feed tells what of that moment is in the sums (see
 * report/sums.ts). `counted` is empty where too much would have to be counted, and where there are no sums.
 */
export function chunksOf(db: Database, surveyId: number, filters: readonly Filter[], judgement: Judgement) {
  const { names, count } = readerOf(judgement)
  const survey = sql`${surveyId}::bigint`
  const passing = db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.id > judged.after and response.id <= judged.upto`)
  return sql`
    summary as materialized (
      select seq, last_id, array(
        select array_position(slots, name) from unnest(${names}::text[]) with ordinality as asked(name, place) order by place
      ) as places
      from response_summary where survey_id = ${survey}
    ), chunk as materialized (
      select number, coalesce(lag(chunk.last_id) over (order by number), 0) as after, chunk.last_id as upto,
        ${sumOf(STATES, count)} as size, ${known(judgement, count)} as count
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
    ), counted as materialized (
      select number, after, upto, coalesce(count, (${passing})) as count from judged
      where (select is_little from work)
    )`
}
