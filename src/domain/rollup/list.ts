import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import { executePrepared } from '../execute-prepared.ts'
import type { Filter } from '../response/filter/filter.ts'
import { type StoredResponse, whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { type CountPlan, planCount } from './counts.ts'
import {
  countBySegment,
  knownRanges,
  knownWindow,
  type ListedSurvey,
  rememberedCounts,
  rememberPage,
  type SegmentCounts,
  type Window,
} from './list-counts.ts'
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
  segments: SegmentCounts | null
  /** The last number of the change feed. */
  feed: number
}

/** The total and a response, all of whose columns are null in an empty page; the first row says what to remember. */
type FoundRow = Row & { total: number | null; segments: SegmentCounts | null; feed: number | null }

/**
 * Counts the responses that pass the filters and reads one page of them. Reads the rows only in segments that overlap
 * the page. If the rollup counts nothing of the filters, such as a part of a text, the first page reads all responses.
 * @param slice without it, only counts
 * @returns undefined if the rollup cannot be used
 */
export async function pageFromRollup(
  db: Database,
  survey: ListedSurvey,
  filters: readonly Filter[],
  slice: Slice = NO_PAGE,
): Promise<ResponseList | undefined> {
  const remembered = rememberedCounts(survey)
  const key = JSON.stringify(filters)
  const pageOfKnown = async (counts: SegmentCounts) => {
    const ranges = knownRanges(db, survey.id, filters, counts, slice)
    const found = await readPage(db, survey.id, filters, slice, ranges)
    if (found) rememberPage(counts, slice.offset, found)
    return found
  }
  const known = remembered.get(key)
  const page = known && (await pageOfKnown(known))
  if (page) return page
  remembered.delete(key)
  const plan = planCount(filters)
  const found = plan && (await readPage(db, survey.id, filters, slice, allRanges(db, survey.id, filters, plan), COUNTS))
  const counts = found || plan?.fullyIndexed ? found?.segments : await countBySegment(db, survey.id, filters)
  if (counts) remembered.set(key, counts)
  if (counts && found) rememberPage(counts, slice.offset, found)
  return found ?? (counts ? pageOfKnown(counts) : undefined)
}

const NO_PAGE: Slice = { offset: 0, limit: 0 }

/** @param ranges common table expressions of which the last is `offset_range` */
async function readPage(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  { offset, limit }: Slice,
  ranges: RawBuilder<unknown>,
  segments: RawBuilder<unknown> = sql`null::json`,
): Promise<Found | undefined> {
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
      case when page.id is not distinct from (select min(id) from page) then (${segments}) end as segments,
      (select seq from survey_feed where survey_id = ${surveyId}::bigint) as feed
    from (values (1)) as one left join page on true
    order by page.id`,
  )
  const { total, segments: counts, feed } = rows[0]!
  rows[0]!.segments = null
  return total === null
    ? undefined
    : { total, rows: rows.filter(({ id }) => id !== null), segments: counts, feed: feed ?? 0 }
}

/**
 * Reads the next responses that pass the filters, below or above an id, in the order in which they were found.
 * @returns undefined if no counts are remembered that still hold
 */
async function windowFromRemembered(
  db: Database,
  survey: ListedSurvey,
  filters: readonly Filter[],
  window: Window,
): Promise<Row[] | undefined> {
  const counts = rememberedCounts(survey).get(JSON.stringify(filters))
  if (!counts) return undefined
  const { ascending, from, limit } = window
  const order = ascending ? 'asc' : 'desc'
  const next = db
    .selectFrom('response')
    .select(COLUMNS.map((column) => `response.${column}` as const))
    .where(whereResponses(survey.id, filters))
    .where(sql<boolean>`response.id > id_range.after and response.id <= id_range.upto`)
    .where('response.id', ascending ? '>' : '<', sql<number>`${from}::bigint`)
    .orderBy('response.id', order)
    .limit(limit)
  const rows = await executePrepared<Row>(
    db,
    sql`with ${knownWindow(survey.id, counts, window)}, found as materialized (
      select found.* from id_range cross join lateral (${next}) as found
      order by found.id ${sql.raw(order)} limit ${limit}::integer
    )
    select found.* from rollup left join found on true order by found.id ${sql.raw(order)}`,
  )
  return rows.length > 0 ? rows.filter(({ id }) => id !== null) : undefined
}

/** Builds `offset_range` from the counts of all segments and the tail. */
const allRanges = (db: Database, surveyId: number, filters: readonly Filter[], plan: CountPlan) =>
  sql`${countedRanges(db, surveyId, filters, plan)}, offset_range as (
      select number, after, upto, count, (sum(count) over (order by number) - count)::bigint as before from counted_range
    )`

/** Builds what can be remembered of `allRanges`: nothing if a segment has changed since it was counted. */
const COUNTS = sql`select json_build_object('seq', seq, 'lastId', last_id,
      'ends', (select json_agg(upto order by number) from offset_range where upto <= last_id),
      'sums', (select json_agg(before + count order by number) from offset_range where upto <= last_id))
    from rollup where last_id > 0 and not exists (select from changed_segment)`

export interface ResponseList {
  /** Number of responses that pass the filters. */
  total: number
  /** The responses of the page, in order of id. */
  rows: StoredResponse[]
}

/** Surveys with fewer responses than a segment has. They have no rollup. */
const smallSurveys = new WeakSet<ListedSurvey>()

/** Counts and lists responses with stored counts. */
export const listPlanner = {
  /** Counts the responses that pass the filters; undefined if stored counts cannot be used. */
  count: async (db: Database, survey: ListedSurvey, filters: readonly Filter[]): Promise<number | undefined> =>
    (await listPlanner.page(db, survey, filters))?.total,

  /** Counts the responses that pass the filters and reads a page; undefined if stored counts cannot be used. */
  page: async (
    db: Database,
    survey: ListedSurvey,
    filters: readonly Filter[],
    slice?: Slice,
  ): Promise<ResponseList | undefined> =>
    smallSurveys.has(survey) ? undefined : pageFromRollup(db, survey, filters, slice),

  /** Reads the next responses below or above an id; undefined if the list was not counted before. */
  window: windowFromRemembered,

  /** Records the size of a survey, so that `count` and `page` skip small surveys without a query. */
  noteSize(survey: ListedSurvey, responses: number): void {
    if (responses < SEGMENT_RESPONSES) smallSurveys.add(survey)
    else smallSurveys.delete(survey)
  },
}
