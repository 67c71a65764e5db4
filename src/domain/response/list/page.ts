import type { Kysely } from 'kysely'
import type { Slice } from '../../../lib/paging.ts'
import { planCount } from '../../rollup/count-planner.ts'
import { countFromRollup, pageFromRollup } from '../../rollup/list.ts'
import { CHUNK } from '../../rollup/state.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import type { StoredResponse } from '../filter/matches.ts'
import { whereResponses } from '../filter/where.ts'

export interface ResponseList {
  /** How many responses pass the filters. */
  total: number
  /** Those of the slice, by id. */
  rows: StoredResponse[]
}

type Database = Kysely<Tables>

/** Walking this many entries of an index costs less than asking first how many there are. */
const NEAR = 2_000
/** Walking this many costs as much as finding a slice through chunks. */
const FAR = 50_000

/** The survey that is looked at, as far as it matters here; the same object for the same survey saves a look at its sums. */
export interface Surveyed {
  readonly id: number
}

/** Surveys that had less than a chunk of responses when last looked at: they have no sums. */
const small = new WeakSet<Surveyed>()

/**
 * The responses of a survey that pass every filter, by id: how many there are, and those of one slice.
 * All of a survey's responses are counted by the feed, exactly; only a filter has to count.
 */
export function pageOfResponses(
  db: Database,
  survey: Surveyed,
  filters: readonly Filter[],
  slice: Slice,
): Promise<ResponseList> {
  if (filters.length > 0) return filteredPage(db, survey, filters, slice)
  return slice.offset <= NEAR ? nearPage(db, survey.id, slice) : deepPage(db, survey.id, slice)
}

async function filteredPage(
  db: Database,
  survey: Surveyed,
  filters: readonly Filter[],
  slice: Slice,
): Promise<ResponseList> {
  const judgement = small.has(survey) ? undefined : planCount(filters)
  const summed = judgement && (await pageFromRollup(db, survey.id, filters, judgement, slice))
  return summed ?? searchedPage(db, survey, filters, slice)
}

/** How many responses of a survey pass the filters. */
export async function countFiltered(db: Database, survey: Surveyed, filters: readonly Filter[]): Promise<number> {
  const judgement = small.has(survey) ? undefined : planCount(filters)
  const summed = judgement && (await countFromRollup(db, survey.id, filters, judgement))
  return summed ?? searchedCount(db, survey, filters)
}

async function searchedPage(
  db: Database,
  survey: Surveyed,
  filters: readonly Filter[],
  { offset, limit }: Slice,
): Promise<ResponseList> {
  const [total, rows] = await Promise.all([
    searchedCount(db, survey, filters),
    db
      .selectFrom('response')
      .selectAll()
      .where(whereResponses(survey.id, filters))
      .orderBy('id')
      .offset(offset)
      .limit(limit)
      .execute(),
  ])
  return { total, rows }
}

/** The survey's size is read along. */
async function searchedCount(db: Database, survey: Surveyed, filters: readonly Filter[]): Promise<number> {
  const { total, responses } = await db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .select(feedOf(db, survey.id).as('responses'))
    .where(whereResponses(survey.id, filters))
    .executeTakeFirstOrThrow()
  if ((responses ?? 0) < CHUNK) small.add(survey)
  else small.delete(survey)
  return total
}

const feedOf = (db: Database, surveyId: number) =>
  db.selectFrom('survey_feed').select('responses').where('survey_id', '=', surveyId)

async function totalOf(db: Database, surveyId: number): Promise<number> {
  const feed = await feedOf(db, surveyId).executeTakeFirst()
  return feed?.responses ?? 0
}

const idsOf = (db: Database, surveyId: number) =>
  db.selectFrom('response').select('id').where('survey_id', '=', surveyId)
const rowsOf = (db: Database, surveyId: number) =>
  db.selectFrom('response').selectAll().where('survey_id', '=', surveyId)

/** The ids before the slice are walked in the primary key alone; its first id leads to the rows. */
const forward = (db: Database, surveyId: number, { offset, limit }: Slice) =>
  rowsOf(db, surveyId)
    .$if(offset > 0, (rows) => rows.where('id', '>=', idsOf(db, surveyId).orderBy('id').offset(offset).limit(1)))
    .orderBy('id')
    .limit(limit)

/** Number and rows by one statement, so that they belong together; a slice without rows tells no number. */
async function nearPage(db: Database, surveyId: number, slice: Slice): Promise<ResponseList> {
  const rows = await forward(db, surveyId, slice).select(feedOf(db, surveyId).as('total')).execute()
  return { total: rows[0]?.total ?? (await totalOf(db, surveyId)), rows }
}

/**
 * Far from the start it pays to know the total first: a slice in the second half is walked to from the end, and one that is
 * far from both ends is found through the sizes of chunks.
 */
async function deepPage(db: Database, surveyId: number, slice: Slice): Promise<ResponseList> {
  const total = await totalOf(db, surveyId)
  if (slice.offset >= total) return { total, rows: [] }
  if (Math.min(slice.offset, total - slice.offset) > FAR) {
    const summed = await pageFromRollup(db, surveyId, [], planCount([])!, slice)
    if (summed) return summed
  }
  if (slice.offset <= total / 2) return { total, rows: await forward(db, surveyId, slice).execute() }
  return backward(db, surveyId, slice)
}

/**
 * The slice from the end: the total is read again by the same statement, because responses that came in since the last
 * one would move every position that is counted from the end.
 */
async function backward(db: Database, surveyId: number, { offset, limit }: Slice): Promise<ResponseList> {
  const after = feedOf(db, surveyId)
    .clearSelect()
    .select((eb) => eb.fn<number>('greatest', [eb('responses', '-', offset + limit), eb.lit(0)]).as('after'))
  const last = idsOf(db, surveyId).orderBy('id', 'desc').offset(after).limit(1)
  const found = await rowsOf(db, surveyId)
    .select(feedOf(db, surveyId).as('total'))
    .where('id', '<=', last)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const total = found[0]?.total ?? 0
  // The last slice is seldom full; what lies before it was read along.
  const rows = found.slice(0, Math.max(total - offset, 0)).reverse()
  return { total, rows }
}
