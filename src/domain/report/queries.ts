import { type Kysely, sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import { isTimeZone } from '../account/commands.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { type Filter, parseFilters, withAlternatives } from '../response/filter/filter.ts'
import { reportedQuestions, reportPredicates, STATES } from '../response/filter/predicate.ts'
import { whereResponses } from '../response/filter/where.ts'
import { filtersOf, type ResponseSearch } from '../response/list/queries.ts'
import { countByRollup } from '../rollup/segments.ts'
import { weighPredicates } from '../rollup/weighted.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import { findSnapshot, findSurvey } from '../survey/queries.ts'
import { remember } from '../survey/remembered.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import { weightingIn } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { tallyCategories, withCategories } from './category-counts.ts'
import { findPublication, type PublishedText, readTexts } from './publication.ts'
import {
  type QuestionStats,
  questionStats,
  sumOfTallies,
  type Tallied,
  unweighted,
  type WeightedBase,
  weightedBase,
} from './question-stats.ts'
import { assertExactFigures } from './reader.ts'
import { Report } from './report.ts'

/**
 * Lists the reports of a survey, oldest first.
 * @param slice absent: all reports
 * @throws {Problem} `survey_not_found`
 */
export async function listReports(
  context: Context,
  surveyId: number,
  slice: Partial<Slice> = {},
): Promise<{ total: number; reports: Report[] }> {
  await findSurvey(context, surveyId, 'Report')
  const [reports, total] = await context.em.findAndCount(
    Report,
    { survey: surveyId },
    { orderBy: { id: 'asc' }, ...slice },
  )
  return { total, reports }
}

/**
 * Returns the entity of a report.
 * @throws {Problem} `survey_not_found`, `report_not_found`
 */
export async function findReport(
  context: Context,
  surveyId: number,
  id: number,
  permission: 'Report' | 'Correct' = 'Report',
): Promise<Report> {
  await findSurvey(context, surveyId, permission)
  return context.em.findOneOrFail(Report, { id, survey: surveyId }, { failHandler: problems.reportNotFound })
}

/** Statistics of responses to a survey. */
export interface ReportResults {
  questionnaire: Questionnaire
  responses: { total: number; incomplete: number; complete: number; terminated: number }
  /** The weights of all responses; only if the report is weighted. */
  weighted?: WeightedBase
  questions: readonly QuestionStats[]
  /** Most recent text answers by stored key. */
  recentAnswers: ReadonlyMap<string, readonly TextAnswer[]>
}

/** Computes the statistics of each question, over the responses that pass every filter. */
async function computeResults(
  context: Context,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
  isWeighted: boolean,
): Promise<ReportResults> {
  const { id: surveyId, questionnaire: q } = snapshot
  const db = context.em.getKysely<Tables>()
  const { questions, ...results } = resultsFrom(q, await tallyResponses(context, snapshot, filters, isWeighted))
  const textKeys = questions.flatMap(({ fields }) =>
    fields
      .filter(({ answered, choices, field }) => !choices && answered > 0 && field.type !== 'decimal' && !field.part)
      .map(({ field }) => field.storedKey),
  )
  const weighting = isWeighted ? weightingIn(snapshot) : undefined
  const codings = await tallyCategories(context, snapshot, filters, { weighting })
  return {
    ...results,
    questions: await withCategories(context, surveyId, questions, codings, isWeighted),
    recentAnswers: await recentAnswers(db, surveyId, filters, textKeys),
  }
}

/**
 * Counts the predicates of a report among the responses that pass every filter, with their weights if the report is
 * weighted.
 * @throws {Problem} `weighting_not_found`
 */
export async function tallyResponses(
  context: Context,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
  isWeighted: boolean,
): Promise<Tallied> {
  const { id: surveyId, questionnaire: q } = snapshot
  const predicates = reportPredicates(q)
  const weighting = isWeighted ? weightingIn(snapshot) : undefined
  const db = context.em.getKysely<Tables>()
  const count = async () =>
    weighting
      ? { tally: await weighPredicates(db, surveyId, filters, predicates, weighting), isWeighted }
      : unweighted(await countByRollup(context, surveyId, filters, predicates))
  return remember(context, snapshot, ['tallies', filters, isWeighted], count, predicates.length)
}

/** Computes everything in a report that follows from counts. */
function resultsFrom(q: Questionnaire, tallied: Tallied): Omit<ReportResults, 'recentAnswers'> {
  const states = STATES.map(tallied.tally)
  const [incomplete = 0, complete = 0, terminated = 0] = states.map(({ count }) => count)
  const total = incomplete + complete + terminated
  return {
    questionnaire: q,
    responses: { total, incomplete, complete, terminated },
    ...weightedBase(sumOfTallies(states), tallied),
    questions: reportedQuestions(q).map((question) => questionStats(question, tallied)),
  }
}

/** A report as readers see it who may not view responses. */
export interface PublishedResults extends ReportResults {
  /** Published text answers by stored key; empty unless the report shares text answers. */
  texts: ReadonlyMap<string, readonly PublishedText[]>
}

const NO_SEARCH: ResponseSearch = { search: '', mode: 'strict', parameters: new Set() }

/**
 * Returns the results of a report for readers who may not view responses. They cannot filter it. All figures are
 * computed from the published counts.
 * @throws {Problem} as {@link showReport}
 */
export async function showPublishedReport(
  context: Context,
  surveyId: number,
  { questions, query, shareTextAnswers }: PublishedDesign,
): Promise<PublishedResults> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  const filtersOf = (one: string) => filtersWith(context, snapshot, one, NO_SEARCH)
  const { counts, texts, codings } = await findPublication(context, snapshot, query, filtersOf)
  const results = { ...resultsFrom(snapshot.questionnaire, unweighted(counts)), recentAnswers: new Map() }
  const coded = await withCategories(context, surveyId, results.questions, codings)
  const shown = questions ? coded.filter(({ question }) => questions.includes(question.id)) : coded
  return {
    ...results,
    questions: shown,
    texts: shareTextAnswers ? await readTexts(context, surveyId, texts) : new Map(),
  }
}

interface PublishedDesign extends ReportFilter {
  shareTextAnswers: boolean
}

/** The stored questions and filters of a report. */
export interface ReportFilter {
  questions?: readonly string[] | null
  query: string
}

/** The filter that is added if no other filter tests `_completed`. */
export const ONLY_COMPLETE = '_completed=1'

/** Filters with which a report counts more than the complete responses. */
export const WITH_SCREENED_OUT = '_completed>0'
export const WITH_INCOMPLETE = '_completed<2'
export const WITH_ALL = '_completed>=0'

/**
 * Returns the filters of a report and of the request. If none of them tests `_completed`, adds a filter for complete
 * responses.
 * @throws {Problem} `invalid_request` for a filter that does not match the current survey; `forbidden` if the reader sees
 *   published figures only
 */
export async function reportFilters(
  context: Context,
  snapshot: SurveySnapshot,
  { query }: ReportFilter,
  request: ResponseSearch,
): Promise<Filter[]> {
  assertExactFigures(context, snapshot)
  return filtersWith(context, snapshot, query, request)
}

async function filtersWith(
  context: Context,
  snapshot: SurveySnapshot,
  query: string,
  request: ResponseSearch,
): Promise<Filter[]> {
  const filters = await filtersOf(context, snapshot, query ? { ...request, also: query } : request)
  if (testsStatus(filters))
    return filters.filter(({ name, operator, value }) => `${name}${operator}${value}` !== WITH_ALL)
  return [...filters, ...parseFilters(ONLY_COMPLETE, snapshot.questionnaire, 'strict', new Set())]
}

/** Returns whether a filter, or an alternative of a filter, tests `_completed`. */
export const testsStatus = (filters: readonly Filter[]): boolean =>
  withAlternatives(filters).some(({ name }) => name === '_completed')

/**
 * Computes the results of a report over the responses that pass the filters of the report and of the request.
 * @param options `weighted`: shares, means and scores are those of the weighted responses
 * @throws {Problem} `survey_not_found`, `weighting_not_found`; `invalid_request` for filters that do not match the current
 *   survey
 */
export async function showReport(
  context: Context,
  surveyId: number,
  design: ReportFilter,
  request: ResponseSearch,
  { weighted = false } = {},
): Promise<ReportResults> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  const filters = await reportFilters(context, snapshot, design, request)
  const results = await computeResults(context, snapshot, filters, weighted)
  const { questions } = design
  if (!questions) return results
  return { ...results, questions: results.questions.filter(({ question }) => questions.includes(question.id)) }
}

/** Numbers of responses by day in a time zone. */
export interface ReportDays {
  timeZone: string
  days: DayCount[]
}

/**
 * Counts the responses of a report by day.
 * @param timeZone the time zone of the days; UTC is used in place of one that PostgreSQL does not know
 * @throws {Problem} as {@link showReport}
 */
export async function showDays(
  context: Context,
  surveyId: number,
  design: ReportFilter,
  request: ResponseSearch,
  timeZone: string,
): Promise<ReportDays> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  const filters = await reportFilters(context, snapshot, design, request)
  const zone = (await isTimeZone(context.em, timeZone)) ? timeZone : 'UTC'
  return { timeZone: zone, days: await countDays(context.em.getKysely<Tables>(), surveyId, filters, zone) }
}

/** A text answer. */
export interface TextAnswer {
  responseId: number
  /** The number of the response on pages. */
  responseNumber: number
  value: string
  at: Date
}

/** Number of text answers that a report shows of a question. */
export const MAX_ANSWERS_PER_QUESTION = 5
const MAX_QUESTIONS_PER_STATEMENT = 100

/** Returns the most recent answers of each key, newest first. Reads the index of the primary key backwards. */
async function recentAnswers(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, TextAnswer[]>> {
  const answersByKey = new Map<string, TextAnswer[]>(keys.map((key) => [key, []]))
  const newestOf = (key: string) =>
    db
      .selectFrom('response')
      .where(whereResponses(surveyId, filters))
      .where(sql<boolean>`response.answers -> ${key}::text is not null`)
      .select([
        sql<string>`${key}::text`.as('key'),
        'response.id',
        'response.number',
        'response.created_at',
        sql<string>`response.answers ->> ${key}::text`.as('value'),
      ])
      .orderBy('response.id', 'desc')
      .limit(MAX_ANSWERS_PER_QUESTION)
  for (let from = 0; from < keys.length; from += MAX_QUESTIONS_PER_STATEMENT) {
    const queries = keys.slice(from, from + MAX_QUESTIONS_PER_STATEMENT).map((key) => sql`(${newestOf(key)})`)
    const { rows } = await sql<{
      key: string
      id: number
      number: number
      created_at: string
      value: string
    }>`${sql.join(queries, sql` union all `)}`.execute(db)
    for (const row of rows)
      answersByKey.get(row.key)!.push({
        responseId: row.id,
        responseNumber: row.number,
        value: row.value,
        at: new Date(row.created_at),
      })
  }
  for (const answers of answersByKey.values()) answers.sort((a, b) => b.responseId - a.responseId)
  return answersByKey
}

export interface TextPage {
  q: Questionnaire
  field: Field
  texts: TextAnswer[]
  /** Whether older answers exist. */
  hasMore: boolean
}

/**
 * Lists the answers to a text question, newest first. Scans the index of the primary key backwards, without sorting.
 * @param key response key of the field (docs/specification.md 7.3)
 * @param search part of the text, regardless of case
 * @param before a response id: lists only responses with lower ids, for the next page
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`; `question_not_found` if the key is unknown, is
 *   not in the report, or belongs to a question with choices
 */
export async function listTexts(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  { key, search, before, limit }: { key: string; search?: string; before?: number; limit: number },
): Promise<TextPage> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  const q = snapshot.questionnaire
  const field = q.byKey.get(key)
  const isShown = !report.questions || report.questions.includes(field?.question.id ?? '')
  if (!field || field.choices.length > 0 || !isShown) throw problems.questionNotFound()
  const filters = await reportFilters(context, snapshot, report, request)
  const answerText = sql<string>`response.answers ->> ${field.storedKey}::text`
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.answers -> ${field.storedKey}::text is not null`)
    .$if(before !== undefined, (query) => query.where('response.id', '<', before!))
    .$if(Boolean(search), (query) =>
      query.where((eb) =>
        eb(eb.fn<number>('strpos', [sql`lower(${answerText})`, sql`lower(${search}::text)`]), '>', 0),
      ),
    )
    .select(['response.id', 'response.number', 'response.created_at', answerText.as('value')])
    .orderBy('response.id', 'desc')
    .limit(limit + 1)
    .execute()
  const texts = rows
    .slice(0, limit)
    .map((row) => ({ responseId: row.id, responseNumber: row.number, value: row.value, at: new Date(row.created_at) }))
  return { q, field, texts, hasMore: rows.length > limit }
}

/** Number of responses that were started on a day. */
export interface DayCount {
  /** Such as `2026-01-31`. */
  day: string
  count: number
}

/**
 * Counts, for each day, the responses that pass every filter and were started on that day. Omits days without
 * responses.
 * @param timeZone a name that PostgreSQL knows
 */
const countDays = (
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  timeZone: string,
): Promise<DayCount[]> =>
  db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .select((eb) => [sql<string>`to_char(day_of.day, 'YYYY-MM-DD')`.as('day'), eb.fn.countAll<number>().as('count')])
    .innerJoinLateral(
      sql<{ day: string }>`(select (response.created_at at time zone ${timeZone}::text)::date as day)`.as('day_of'),
      (join) => join.onTrue(),
    )
    .groupBy('day_of.day')
    .orderBy('day_of.day')
    .execute()
