import { type Kysely, type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Slice } from '../../lib/paging.ts'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'

type Database = Kysely<Tables>

/**
 * A survey whose responses are listed. The planner remembers its size and counts by this object, so always pass the same
 * object for a survey.
 */
export interface ListedSurvey {
  readonly id: number
}

/**
 * The numbers of responses that pass filters, in each segment of a survey. They were exact after the change `seq` of the
 * feed, up to the response `lastId`.
 */
export interface SegmentCounts {
  seq: number
  lastId: number
  /** The last response of each segment. */
  ends: number[]
  /** The number of responses that pass, from the first segment to each one. */
  sums: number[]
  /** For positions in the list of those that pass, a response after which that position comes. */
  starts?: Map<number, number>
  /** The number of responses after the last segment that pass, exact until the next change of the feed. */
  tail?: { feed: number; count: number }
}

/** The number of filters of a survey whose counts are remembered. At 10,000,000 responses, each takes 40 kB. */
const MAX_REMEMBERED = 16

const remembering = new WeakMap<ListedSurvey, LRUCache<string, SegmentCounts>>()

/**
 * Returns the counts of the lists of a survey that were last read, by their filters. Adding up the segments takes longer
 * than reading a page, and someone who reads a list mostly reads several pages of it.
 */
export function rememberedCounts(survey: ListedSurvey): LRUCache<string, SegmentCounts> {
  const known = remembering.get(survey) ?? new LRUCache({ max: MAX_REMEMBERED })
  remembering.set(survey, known)
  return known
}

const MAX_STARTS = 100

/**
 * Notes where a page begins and where the next one does, so that neither skips the responses before it, and how many
 * responses of the tail pass.
 */
export function rememberPage(
  counts: SegmentCounts,
  offset: number,
  { total, rows, feed }: { total: number; rows: readonly { id: number }[]; feed: number },
): void {
  counts.tail = { feed, count: total - (counts.sums.at(-1) ?? 0) }
  const last = rows.at(-1)
  if (!last || last.id > counts.lastId) return
  if (!counts.starts || counts.starts.size > MAX_STARTS) counts.starts = new Map()
  counts.starts.set(offset, rows[0]!.id - 1).set(offset + rows.length, last.id)
}

/**
 * Counts the responses that pass the filters in each segment by reading all of them.
 * @returns undefined if there are no segments, or if one has changed since the rollup was refreshed
 */
export async function countBySegment(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
): Promise<SegmentCounts | undefined> {
  const survey = sql`${surveyId}::bigint`
  const matching = db
    .selectFrom('response')
    .select(
      sql<number>`width_bucket(id, (select array_agg(last_id + 1 order by number) from segment))`.as('segment_number'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(whereResponses(surveyId, filters))
    .where('response.id', '<=', sql<number>`(select last_id from rollup)`)
    .groupBy('segment_number')
  const { rows } = await sql<SegmentCounts>`
    with ${unchangedRollup(surveyId)}, segment as materialized (
      select number, last_id from response_segment where survey_id = ${survey}
    ), found as materialized (${matching})
    select seq, last_id as "lastId", (select json_agg(last_id order by number) from segment) as ends, (
      select json_agg(sum order by number) from (
        select number, sum(coalesce(count, 0)) over (order by number) from segment left join found on segment_number = number
      ) as summed
    ) as sums
    from rollup`.execute(db)
  return rows[0]
}

/**
 * Builds `offset_range` from remembered counts: the segments that overlap the page, and the tail. It is empty if a
 * response of the segments has changed since, or if the rollup has been refreshed.
 */
export function knownRanges(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  counts: SegmentCounts,
  { offset, limit }: Slice,
): RawBuilder<unknown> {
  const { lastId, ends, sums, starts, tail } = counts
  const ranges = { after: [] as number[], upto: [] as number[], count: [] as number[], before: [] as number[] }
  for (let at = sums.findIndex((sum) => sum > offset); at >= 0 && at < sums.length; at += 1) {
    const before = sums[at - 1] ?? 0
    if (before >= offset + limit) break
    if (sums[at] === before) continue
    const [after, start] = [ends[at - 1] ?? 0, starts?.get(offset) ?? 0]
    const isKnown = before <= offset && start > after
    ranges.after.push(isKnown ? start : after)
    ranges.upto.push(ends[at]!)
    ranges.before.push(isKnown ? offset : before)
    ranges.count.push(sums[at]! - (isKnown ? offset : before))
  }
  const inTail = db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(whereResponses(surveyId, filters))
    .where('response.id', '>', sql<number>`${lastId}::bigint`)
  return sql`${unchangedRollup(surveyId, counts)}, offset_range as materialized (
      select known.* from rollup, unnest(${ranges.after}::bigint[], ${ranges.upto}::bigint[], ${ranges.count}::bigint[],
        ${ranges.before}::bigint[]) as known(after, upto, count, before)
      union all
      select last_id, ${Number.MAX_SAFE_INTEGER}::bigint, case
          when (select seq from survey_feed where survey_id = ${surveyId}::bigint) = ${tail?.feed ?? -1}::bigint
          then ${tail?.count ?? 0}::bigint else (${inTail}) end,
        ${sums.at(-1) ?? 0}::bigint from rollup
    )`
}

/**
 * Builds `rollup`, which is empty if a response of its segments has changed since it was refreshed.
 * @param known with it, also empty if this is no longer the rollup from which the counts are
 */
function unchangedRollup(surveyId: number, known?: SegmentCounts): RawBuilder<unknown> {
  const isKnown = known
    ? sql`and state.seq = ${known.seq}::bigint and state.last_id = ${known.lastId}::bigint`
    : sql`and state.last_id > 0`
  return sql`rollup as materialized (
      select seq, last_id from response_rollup as state
      where survey_id = ${surveyId}::bigint ${isKnown} and not exists (
        select from response_change as change
        where change.survey_id = state.survey_id and change.seq > state.seq and response_id <= state.last_id
      )
    )`
}

/** The place and direction of a part of a list: ids below or above `from`. */
export interface Window {
  ascending: boolean
  from: number
  limit: number
}

/**
 * Builds `id_range`: the segments and the tail that have the next `limit` responses that pass, or all if there are fewer.
 * It is empty if remembered counts no longer hold, like `rollup`.
 */
export function knownWindow(
  surveyId: number,
  counts: SegmentCounts,
  { ascending, from, limit }: Window,
): RawBuilder<unknown> {
  const { lastId, ends, sums } = counts
  const parts = ends.map((upto, at) => ({
    after: ends[at - 1] ?? 0,
    upto,
    count: sums[at]! - (sums[at - 1] ?? 0),
  }))
  parts.push({ after: lastId, upto: Number.MAX_SAFE_INTEGER, count: 1 })
  const beyond = parts.filter(({ after, upto, count }) => count > 0 && (ascending ? upto > from : after + 1 < from))
  if (!ascending) beyond.reverse()
  const after: number[] = []
  const upto: number[] = []
  let passing = 0
  for (const part of beyond) {
    if (passing >= limit) break
    after.push(part.after)
    upto.push(part.upto)
    // It is not known how many responses of the tail, and of the segment of `from`, are beyond `from` and pass.
    const isWhole = part.after !== lastId && (ascending ? part.after >= from : part.upto < from)
    if (isWhole) passing += part.count
  }
  return sql`${unchangedRollup(surveyId, counts)}, id_range as materialized (
      select known.* from rollup, unnest(${after}::bigint[], ${upto}::bigint[]) as known(after, upto)
    )`
}
