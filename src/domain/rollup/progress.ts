import { IsolationLevel } from '@mikro-orm/core'
import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { rangesBetween } from './state.ts'

type Database = Kysely<Tables>

/** Maximum number of segments per transaction. A transaction locks the rollup for some tens of milliseconds only. */
const SEGMENTS_PER_TRANSACTION = 8

/** The responses that were started on a day in UTC, by their current status. */
export interface DayProgress {
  /** Such as `2026-01-31`. */
  day: string
  started: number
  complete: number
  terminated: number
}

/** The responses that were started on a day of a time zone. */
export type LocalDayProgress = Pick<DayProgress, 'day' | 'started' | 'complete'>

/** The days of a time zone from a moment on. */
export interface Window {
  /** A name that PostgreSQL knows. */
  timeZone: string
  /** The beginning of a day. */
  from: Date
}

/** The responses of a collector, by their current status. */
export interface CollectorProgress extends Omit<DayProgress, 'day'> {
  collector: number
}

/** The responses in which a page was submitted. */
export interface PageProgress {
  /** Number of the page, counted from 1. */
  page: number
  submitted: number
  /** Incomplete responses whose last submitted page is this page. */
  stopped: number
}

/**
 * Counts all responses of a survey by day and by page, in one snapshot. Uses the stored counts of unchanged segments,
 * and reads the responses of other segments and after the last segment.
 * @param options `window`: the days of another time zone to count as well; `byCollector`: counts by collector as well
 * @returns days in UTC, pages, days of the window with responses, and collectors with responses, in order
 */
export const countProgress = (
  context: Pick<PublicContext, 'em'>,
  surveyId: number,
  { window, byCollector = false }: { window?: Window | undefined; byCollector?: boolean } = {},
): Promise<{
  days: DayProgress[]
  pages: PageProgress[]
  localDays?: LocalDayProgress[]
  collectors?: CollectorProgress[]
}> =>
  context.em.fork().transactional(
    async (em) => {
      const db = em.getKysely<Tables>()
      const [days, pages] = [await countDays(db, surveyId), await countPages(db, surveyId)]
      const localDays = window && (await countLocalDays(db, surveyId, window)).rows
      const collectors = byCollector && (await countCollectors(db, surveyId)).rows
      return { days: days.rows, pages: pages.rows, ...(localDays && { localDays }), ...(collectors && { collectors }) }
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  )

const STATE_COUNTS = sql`count(*) as started, count(*) filter (where completed = 1) as complete,
  count(*) filter (where completed = 2) as terminated`
const START_DAY = sql`(created_at at time zone 'UTC')::date`

const countDays = (db: Database, surveyId: number) =>
  sql<DayProgress>`with ${ranges(surveyId)}
    select to_char(day, 'YYYY-MM-DD') as day, sum(started)::bigint as started, sum(complete)::bigint as complete,
      sum(terminated)::bigint as terminated
    from (
      select unnest(days) as day, unnest(started) as started, unnest(complete) as complete,
        unnest(terminated) as terminated
      from valid
      union all
      select live.* from live_range, lateral (
        select ${START_DAY} as day, ${STATE_COUNTS} from response
        where survey_id = ${surveyId}::bigint and id > live_range.after and id <= live_range.upto group by 1
      ) as live
    ) as counted group by day order by day`.execute(db)

/** The quarter of an hour in which a response was started. The offsets of time zones are multiples of it. */
const SLOT_SECONDS = 900
const START_SLOT = sql`floor(extract(epoch from created_at) / ${sql.lit(SLOT_SECONDS)})::integer`
const SLOT_COUNTS = sql`count(*) as started, count(*) filter (where completed = 1) as complete`

/** Counts by day of a time zone. Reads the stored quarters of an hour of the segments in the window, and other responses. */
const countLocalDays = (db: Database, surveyId: number, { timeZone, from }: Window) => {
  const first = Math.floor(from.getTime() / 1000 / SLOT_SECONDS)
  const moment = sql`${from.toISOString()}::timestamptz`
  return sql<LocalDayProgress>`with ${ranges(surveyId)}, uncounted as (
      ${rangesWithout('slots')}
    )
    select to_char((to_timestamp(slot::bigint * ${sql.lit(SLOT_SECONDS)}) at time zone ${timeZone}::text)::date, 'YYYY-MM-DD') as day,
      sum(started)::bigint as started, sum(complete)::bigint as complete
    from (
      select unnest(slots) as slot, unnest(slot_started) as started, unnest(slot_complete) as complete
      from valid where days[cardinality(days)] >= (${moment} at time zone 'UTC')::date
      union all
      select live.* from uncounted, lateral (
        select ${START_SLOT} as slot, ${SLOT_COUNTS} from response
        where survey_id = ${surveyId}::bigint and id > uncounted.after and id <= uncounted.upto
          and created_at >= ${moment} group by 1
      ) as live
    ) as counted where slot >= ${first}::integer group by day order by day`.execute(db)
}

const countCollectors = (db: Database, surveyId: number) =>
  sql<CollectorProgress>`with ${ranges(surveyId)}, uncounted as (
      ${rangesWithout('collectors')}
    )
    select collector, sum(started)::bigint as started, sum(complete)::bigint as complete,
      sum(terminated)::bigint as terminated
    from (
      select unnest(collectors) as collector, unnest(collector_started) as started,
        unnest(collector_complete) as complete, unnest(collector_terminated) as terminated
      from valid
      union all
      select live.* from uncounted, lateral (
        select collector_id as collector, ${STATE_COUNTS} from response
        where survey_id = ${surveyId}::bigint and id > uncounted.after and id <= uncounted.upto group by 1
      ) as live
    ) as counted group by collector order by collector`.execute(db)

/** Builds the ranges of ids to read: those without valid counts, and those whose counts lack a column. */
const rangesWithout = (column: 'slots' | 'collectors') => sql`select after, upto from live_range
      union all
      select after, upto from segment
      where number in (select segment_number from valid where ${sql.ref(column)} is null)`

/** The pages of a response are stored in the order of submission: `1,2,4`. */
const PAGE_PATH = sql.lit('^[1-9][0-9]{0,4}(,[1-9][0-9]{0,4})*$')
const PAGE_COUNTS = sql`count(*) as submitted,
  count(*) filter (where completed = 0 and split_part(pagepath, ',', -1)::integer = page) as stopped`
const SUBMITTED_PAGES = sql`lateral unnest(string_to_array(pagepath, ',')::integer[]) as submitted_page(page)`

const countPages = (db: Database, surveyId: number) =>
  sql<PageProgress>`with ${ranges(surveyId)}
    select page, sum(submitted)::bigint as submitted, sum(stopped)::bigint as stopped
    from (
      select unnest(pages) as page, unnest(submitted) as submitted, unnest(stopped) as stopped from valid
      union all
      select live.* from live_range, lateral (
        select page, ${PAGE_COUNTS} from (
          select completed, pagepath from response where survey_id = ${surveyId}::bigint
            and id > live_range.after and id <= live_range.upto and pagepath ~ ${PAGE_PATH}
        ) as response, ${SUBMITTED_PAGES} group by page
      ) as live
    ) as counted group by page order by page`.execute(db)

/**
 * Builds common table expressions, of which the statements use two: `valid`, the stored counts that are still valid,
 * and `live_range`, the ranges of all other ids.
 */
const ranges = (surveyId: number) => sql`rollup as materialized (
      select seq, last_id from response_rollup where survey_id = ${surveyId}::bigint
    ), segment as materialized (
      select number, coalesce(lag(last_id) over (order by number), 0) as after, last_id as upto
      from response_segment where survey_id = ${surveyId}::bigint
    ), changed_segment as materialized (
      select distinct width_bucket(response_id, (select array_agg(upto + 1 order by number) from segment)) as number
      from response_change as change, rollup
      where change.survey_id = ${surveyId}::bigint and change.seq > rollup.seq and response_id <= rollup.last_id
    ), valid as materialized (
      select * from response_progress
      where survey_id = ${surveyId}::bigint and segment_number not in (select number from changed_segment)
    ), live_range as materialized (
      select after, upto from segment where number not in (select segment_number from valid)
      union all
      select coalesce((select last_id from rollup), 0), ${Number.MAX_SAFE_INTEGER}::bigint
    )`

/**
 * Writes the missing counts by day and by page for the segments of a survey. Idempotent. As with bitmaps, the counts of
 * a segment are valid until the change feed contains a later change of one of its responses. When a segment is counted
 * again, the counts that this function has written for it are deleted (save.ts). The rollup is locked during the write,
 * so that no segment is counted again in the meantime.
 */
export async function writeMissingProgress(
  { em }: Pick<PublicContext, 'em'>,
  surveyId: number,
  signal?: AbortSignal,
): Promise<void> {
  let hasMore = true
  while (hasMore && !signal?.aborted)
    hasMore = await em.fork().transactional((inner) => writeNextSegments(inner.getKysely<Tables>(), surveyId))
}

/**
 * Writes the counts of some segments.
 * @returns whether there may be further segments without counts
 */
async function writeNextSegments(db: Database, surveyId: number): Promise<boolean> {
  const rollup = await db
    .selectFrom('response_rollup')
    .select('seq')
    .where('survey_id', '=', surveyId)
    .forUpdate()
    .executeTakeFirst()
  if (!rollup) return false
  const segments = await db
    .selectFrom('response_segment as segment')
    .leftJoin('response_progress as progress', (join) =>
      join
        .onRef('progress.survey_id', '=', 'segment.survey_id')
        .onRef('progress.segment_number', '=', 'segment.number'),
    )
    .select(['segment.number', 'segment.last_id'])
    .select(sql<boolean>`coalesce(num_nulls(progress.slots, progress.collectors) = 0, false)`.as('counted'))
    .where('segment.survey_id', '=', surveyId)
    .orderBy('segment.number')
    .execute()
  const ends = rangesBetween(segments.map(({ last_id }) => last_id))
  const missing = segments.flatMap(({ number, counted }, index) => (!counted ? [{ ...ends[index]!, number }] : []))
  const batch = missing.slice(0, SEGMENTS_PER_TRANSACTION)
  if (batch.length > 0)
    await sql`insert into response_progress
        (survey_id, segment_number, days, started, complete, terminated, pages, submitted, stopped,
          slots, slot_started, slot_complete,
          collectors, collector_started, collector_complete, collector_terminated)
      select ${surveyId}::bigint, number, by_day.*, by_page.*, by_slot.*, by_collector.*
      from unnest(${batch.map(({ number }) => number)}::integer[], ${batch.map(({ after }) => after)}::bigint[],
        ${batch.map(({ upto }) => upto)}::bigint[]) as segment(number, after, upto),
      lateral (
        select ${arraysOf('day', 'started', 'complete', 'terminated')} from (
          select ${START_DAY} as day, ${STATE_COUNTS} from response
          where survey_id = ${surveyId}::bigint and id > segment.after and id <= segment.upto group by 1
        ) as counted
      ) as by_day,
      lateral (
        select ${arraysOf('page', 'submitted', 'stopped')} from (
          select page, ${PAGE_COUNTS} from (
            select completed, pagepath from response where survey_id = ${surveyId}::bigint
              and id > segment.after and id <= segment.upto and pagepath ~ ${PAGE_PATH}
          ) as response, ${SUBMITTED_PAGES} group by page
        ) as counted
      ) as by_page,
      lateral (
        select ${arraysOf('slot', 'started', 'complete')} from (
          select ${START_SLOT} as slot, ${SLOT_COUNTS} from response
          where survey_id = ${surveyId}::bigint and id > segment.after and id <= segment.upto group by 1
        ) as counted
      ) as by_slot,
      lateral (
        select ${arraysOf('collector', 'started', 'complete', 'terminated')} from (
          select collector_id as collector, ${STATE_COUNTS} from response
          where survey_id = ${surveyId}::bigint and id > segment.after and id <= segment.upto group by 1
        ) as counted
      ) as by_collector
      on conflict (survey_id, segment_number) do update set slots = excluded.slots,
        slot_started = excluded.slot_started, slot_complete = excluded.slot_complete,
        collectors = excluded.collectors, collector_started = excluded.collector_started,
        collector_complete = excluded.collector_complete, collector_terminated = excluded.collector_terminated`.execute(
      db,
    )
  return missing.length > batch.length
}

/** Builds arrays of columns in the order of the first column. If there are no rows, the arrays are empty. */
const arraysOf = (...columns: string[]) =>
  sql.join(columns.map((name) => sql`coalesce(array_agg(${sql.id(name)} order by ${sql.id(columns[0]!)}), '{}')`))
