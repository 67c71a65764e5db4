import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Slice } from '../../lib/paging.ts'
import { executePrepared } from '../execute-prepared.ts'
import type { Filter } from '../response/filter/filter.ts'
import { type StoredResponse, whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { type CountPlan, planCount } from './counts.ts'
import { countedRanges } from './segments.ts'
import { SEGMENT_RESPONSES } from './state.ts'

type Database = Kysely<Tables>

type Row = Selectable<Tables['response']>

/** All columns of a response. Prepared statements need the names of columns (see {@link prepare}). */
const COLUMNS = [
  ...(['survey_id', 'id', 'collector_id', 'completed', 'locale', 'saves', 'completion_time', 'created_at'] as const),
  ...(['updated_at', 'weighted_score', 'key', 'answers', 'language', 'username', 'ip_address'] as const),
  ...(['get_variables', 'referrer', 'pagepath', 'invite_code', 'invite_email', 'invite_name', 'invite_once'] as const),
  ...(['number', 'active_seconds'] as const),
] satisfies (keyof Row)[]

/** Counts of a list, with the responses of a page if one is asked for. */
interface Found {
  total: number
  rows: Row[]
}

/** A row of a statement: the total, a response if the page has any, and in the first row what can be remembered. */
type FoundRow = Row & { total: number | null; segments: SegmentCounts | null }

/**
 * Counts the responses that pass the filters and reads one page of them. Reads the rows only in segments that overlap
 * the page.
 * @param slice without it, only counts
 * @returns undefined if the rollup cannot be used
 */
export async function pageFromRollup(
  db: Database,
  survey: ListedSurvey,
  filters: readonly Filter[],
  plan: CountPlan,
  slice: Slice = NO_PAGE,
): Promise<Found | undefined> {
  const remembered = rememberedCounts(survey)
  const key = JSON.stringify(filters)
  const segments = remembered.get(key)
  const known =
    segments && (await readPage(db, survey, filters, slice, knownRanges(db, survey, filters, segments, slice)))
  if (known) return known
  remembered.delete(key)
  const ranges = sql`${countedRanges(db, survey.id, filters, plan)}, offset_range as (
      select number, after, upto, count, (sum(count) over (order by number) - count)::bigint as before from counted_range
    )`
  const found = await readPage(db, survey, filters, slice, ranges, COUNTS_OF_SEGMENTS)
  if (found?.segments) remembered.set(key, found.segments)
  return found && { total: found.total, rows: found.rows }
}

const NO_PAGE: Slice = { offset: 0, limit: 0 }

/** @param ranges common table expressions of which the last is `offset_range` */
async function readPage(
  db: Database,
  { id: surveyId }: ListedSurvey,
  filters: readonly Filter[],
  { offset, limit }: Slice,
  ranges: RawBuilder<unknown>,
  segments: RawBuilder<unknown> = sql`null::json`,
): Promise<(Found & { segments: SegmentCounts | null }) | undefined> {
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
  const rows = await executePrepared<FoundRow>(
    db,
    sql`
    with ${ranges}, page as materialized (
      select found.* from offset_range cross join lateral (${pageOfRange}) as found
      where offset_range.before < ${start} + ${limit}::integer and offset_range.before + offset_range.count > ${start}
      order by found.id limit ${limit}::integer
    )
    select (select max(before + count) from offset_range)::bigint as total, page.*,
      case when page.id is not distinct from (select min(id) from page) then (${segments}) end as segments
    from (values (1)) as one left join page on true
    order by page.id`,
  )
  const { total, segments: counts } = rows[0]!
  rows[0]!.segments = null
  return total === null ? undefined : { total, rows: rows.filter(({ id }) => id !== null), segments: counts }
}

/**
 * The numbers of responses that pass filters, in each segment of a survey. They were exact after the change `seq` of the
 * feed, up to the response `lastId`.
 */
interface SegmentCounts {
  seq: number
  lastId: number
  /** The last response of each segment. */
  ends: number[]
  /** The number of responses that pass, from the first segment to each one. */
  sums: number[]
}

const COUNTS_OF_SEGMENTS = sql`select json_build_object('seq', seq, 'lastId', last_id,
      'ends', (select json_agg(upto order by number) from offset_range where upto <= last_id),
      'sums', (select json_agg(before + count order by number) from offset_range where upto <= last_id))
    from rollup where last_id > 0 and not exists (select from changed_segment)`

/** The number of filters of a survey whose counts are remembered. At 10,000,000 responses, each takes 40 kB. */
const MAX_REMEMBERED = 16

const remembering = new WeakMap<ListedSurvey, LRUCache<string, SegmentCounts>>()

/**
 * Returns the counts of the lists of a survey that were last read, by their filters. Adding up the segments takes longer
 * than reading a page, and someone who reads a list mostly reads several pages of it.
 */
function rememberedCounts(survey: ListedSurvey): LRUCache<string, SegmentCounts> {
  const known = remembering.get(survey) ?? new LRUCache({ max: MAX_REMEMBERED })
  remembering.set(survey, known)
  return known
}

/**
 * Builds `offset_range` from remembered counts: the segments that overlap the page, and the tail. It is empty if a
 * response of the segments has changed since, or if the rollup has been refreshed.
 */
function knownRanges(
  db: Database,
  { id: surveyId }: ListedSurvey,
  filters: readonly Filter[],
  { seq, lastId, ends, sums }: SegmentCounts,
  { offset, limit }: Slice,
): RawBuilder<unknown> {
  const ranges = { after: [] as number[], upto: [] as number[], count: [] as number[], before: [] as number[] }
  for (let at = sums.findIndex((sum) => sum > offset); at >= 0 && at < sums.length; at += 1) {
    const before = sums[at - 1] ?? 0
    if (before >= offset + limit) break
    if (sums[at] === before) continue
    ranges.after.push(ends[at - 1] ?? 0)
    ranges.upto.push(ends[at]!)
    ranges.count.push(sums[at]! - before)
    ranges.before.push(before)
  }
  const survey = sql`${surveyId}::bigint`
  const inTail = db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(whereResponses(surveyId, filters))
    .where('response.id', '>', sql<number>`${lastId}::bigint`)
  return sql`rollup as materialized (
      select last_id from response_rollup
      where survey_id = ${survey} and seq = ${seq}::bigint and last_id = ${lastId}::bigint and not exists (
        select from response_change as change
        where change.survey_id = ${survey} and change.seq > ${seq}::bigint and response_id <= ${lastId}::bigint
      )
    ), offset_range as materialized (
      select known.* from rollup, unnest(${ranges.after}::bigint[], ${ranges.upto}::bigint[], ${ranges.count}::bigint[],
        ${ranges.before}::bigint[]) as known(after, upto, count, before)
      union all
      select last_id, ${Number.MAX_SAFE_INTEGER}::bigint, (${inTail}), ${sums.at(-1) ?? 0}::bigint from rollup
    )`
}

/**
 * A survey whose responses are listed. The planner remembers its size and counts by this object, so always pass the same
 * object for a survey.
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
    return plan && (await pageFromRollup(db, survey, filters, plan))?.total
  },

  /** Counts the responses that pass the filters and reads a page; undefined if stored counts cannot be used. */
  async page(
    db: Database,
    survey: ListedSurvey,
    filters: readonly Filter[],
    slice: Slice,
  ): Promise<ResponseList | undefined> {
    const plan = planOf(survey, filters)
    return plan && pageFromRollup(db, survey, filters, plan, slice)
  },

  /** Records the size of a survey, so that `count` and `page` skip small surveys without a query. */
  noteSize(survey: ListedSurvey, responses: number): void {
    if (responses < SEGMENT_RESPONSES) smallSurveys.add(survey)
    else smallSurveys.delete(survey)
  },
}
