import type { Kysely } from 'kysely'
import type { Slice } from '../../../lib/paging.ts'
import { listPlanner, type ResponseList } from '../../rollup/list.ts'
import type { ListedSurvey } from '../../rollup/list-counts.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import { whereResponses } from '../filter/where.ts'

type Database = Kysely<Tables>

/** Maximum offset at which skipping index entries is faster than reading the total first. */
const MAX_FORWARD_OFFSET = 2_000
/** Offset from which it is faster to find a page by stored counts than to skip rows. */
const MIN_PLANNED_OFFSET = 50_000

/**
 * Returns one page of the responses of a survey that pass every filter, in order of id, and their total. Without
 * filters, the table `survey_feed` contains the total.
 */
export function pageOfResponses(
  db: Database,
  survey: ListedSurvey,
  filters: readonly Filter[],
  slice: Slice,
): Promise<ResponseList> {
  if (filters.length > 0) return filteredPage(db, survey, filters, slice)
  return slice.offset <= MAX_FORWARD_OFFSET ? pageFromStart(db, survey.id, slice) : pageByTotal(db, survey, slice)
}

const filteredPage = async (
  db: Database,
  survey: ListedSurvey,
  filters: readonly Filter[],
  slice: Slice,
): Promise<ResponseList> =>
  (await listPlanner.page(db, survey, filters, slice)) ?? scannedPage(db, survey, filters, slice)

/** Counts the responses of a survey that pass the filters. */
export const countFiltered = async (db: Database, survey: ListedSurvey, filters: readonly Filter[]): Promise<number> =>
  (await listPlanner.count(db, survey, filters)) ?? scannedCount(db, survey, filters)

async function scannedPage(
  db: Database,
  survey: ListedSurvey,
  filters: readonly Filter[],
  { offset, limit }: Slice,
): Promise<ResponseList> {
  const [total, rows] = await Promise.all([
    scannedCount(db, survey, filters),
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

/** Counts responses by reading them. The same statement reads the size of the survey. */
async function scannedCount(db: Database, survey: ListedSurvey, filters: readonly Filter[]): Promise<number> {
  const { total, responses } = await db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .select(responsesIn(db, survey.id).as('responses'))
    .where(whereResponses(survey.id, filters))
    .executeTakeFirstOrThrow()
  listPlanner.noteSize(survey, responses ?? 0)
  return total
}

const responsesIn = (db: Database, surveyId: number) =>
  db.selectFrom('survey_feed').select('responses').where('survey_id', '=', surveyId)

async function totalOf(db: Database, surveyId: number): Promise<number> {
  const feed = await responsesIn(db, surveyId).executeTakeFirst()
  return feed?.responses ?? 0
}

const idsOf = (db: Database, surveyId: number) =>
  db.selectFrom('response').select('id').where('survey_id', '=', surveyId)
const rowsOf = (db: Database, surveyId: number) =>
  db.selectFrom('response').selectAll().where('survey_id', '=', surveyId)

/** Skips the rows before the page in the index of the primary key, so that only rows of the page are read. */
const forwardPage = (db: Database, surveyId: number, { offset, limit }: Slice) =>
  rowsOf(db, surveyId)
    .$if(offset > 0, (rows) => rows.where('id', '>=', idsOf(db, surveyId).orderBy('id').offset(offset).limit(1)))
    .orderBy('id')
    .limit(limit)

/**
 * Reads the total and the rows of a page with one statement, so that they are consistent. If the page has no rows,
 * reads the total separately.
 */
async function pageFromStart(db: Database, surveyId: number, slice: Slice): Promise<ResponseList> {
  const rows = await forwardPage(db, surveyId, slice).select(responsesIn(db, surveyId).as('total')).execute()
  return { total: rows[0]?.total ?? (await totalOf(db, surveyId)), rows }
}

/**
 * Finds a page far from the start with stored counts. Otherwise, reads the total first; a page in the second half is then
 * read from the end.
 */
async function pageByTotal(db: Database, survey: ListedSurvey, slice: Slice): Promise<ResponseList> {
  const planned = slice.offset > MIN_PLANNED_OFFSET && (await listPlanner.page(db, survey, [], slice))
  if (planned) return planned
  const total = await totalOf(db, survey.id)
  if (slice.offset >= total) return { total, rows: [] }
  if (slice.offset <= total / 2) return { total, rows: await forwardPage(db, survey.id, slice).execute() }
  return pageFromEnd(db, survey.id, slice)
}

/**
 * Reads a page from the end. The same statement reads the total again, because new responses shift all positions that
 * are counted from the end.
 */
async function pageFromEnd(db: Database, surveyId: number, { offset, limit }: Slice): Promise<ResponseList> {
  const after = responsesIn(db, surveyId)
    .clearSelect()
    .select((eb) => eb.fn<number>('greatest', [eb('responses', '-', offset + limit), eb.lit(0)]).as('after'))
  const lastId = idsOf(db, surveyId).orderBy('id', 'desc').offset(after).limit(1)
  const fetched = await rowsOf(db, surveyId)
    .select(responsesIn(db, surveyId).as('total'))
    .where('id', '<=', lastId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const total = fetched[0]?.total ?? 0
  // The last page can have fewer rows than the limit; the surplus rows belong to the page before the last one.
  const rows = fetched.slice(0, Math.max(total - offset, 0)).reverse()
  return { total, rows }
}
