import { expressionBuilder, type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { type Filter, parseFilters } from '../response/filter/filter.ts'
import { reportedQuestions, reportPredicates, STATES } from '../response/filter/predicate.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import { filtersOf, type ResponseSearch } from '../response/list/queries.ts'
import { countByRollup } from '../rollup/segments.ts'
import type { Choice, Field, Question, Questionnaire, RemovedChoice } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { numericKeys } from './histogram.ts'
import { type ReportFilter, reportFilters } from './queries.ts'
import { type FieldStats, npsBreakdown, type QuestionStats, questionStats } from './question-stats.ts'
import { remember } from './remembered.ts'
import {
  combineMoments,
  lowerMeans,
  lowerProportions,
  type MeanSummary,
  type Moments,
  meanSummary,
  momentsOf,
} from './significance.ts'

/** Responses that are compared with those of other groups. */
export interface Group {
  /** The filters that select the group among the responses of the report; undefined: the period before. */
  query: string | undefined
  n: number
  /** Positions of the groups with which this group shares responses, so that differences from them are not tested. */
  overlaps: readonly number[]
}

/** The share of a choice in a group. */
export interface GroupCell {
  count: number
  /** Positions of the groups in which the share is significantly lower. */
  lower: readonly number[]
  /** The mean of the ranks; only for rankings. */
  meanRank?: number | null | undefined
}

/** The answers to a field in each group. */
export interface ComparedField {
  field: Field
  /** Responses with an answer, by group: the base of the percentages. */
  answered: readonly number[]
  choices: readonly { choice: Choice | RemovedChoice; isRemoved: boolean; cells: readonly GroupCell[] }[]
  /** Means of scores or numbers by group; absent for texts and multiple choices. */
  means?: readonly (MeanSummary & { lower: readonly number[] })[]
  /** Net promoter scores by group. */
  scores?: readonly { score: number | null; interval: readonly [number, number] | null; lower: readonly number[] }[]
}

/** The figures of groups side by side. */
export interface Comparison {
  questionnaire: Questionnaire
  groups: readonly Group[]
  questions: readonly { question: Question; answered: readonly number[]; fields: readonly ComparedField[] }[]
}

const MAX_GROUPS = 8

/** Which groups are compared. */
export interface GroupRequest {
  /** Filters of each group, as query strings; `filter=<name>` is a saved filter. */
  queries: readonly string[]
  /** Whether the period before the one that the filters of the report or request select is a group. */
  previous: boolean
}

const NO_PARAMETERS: ReadonlySet<string> = new Set(['filter'])

/**
 * Computes the figures of a report for several groups of its responses.
 * @throws {Problem} `survey_not_found`, `forbidden`; `invalid_request` naming `group`, `previous_period` or a filter
 */
export async function compareGroups(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  { queries, previous }: GroupRequest,
): Promise<Comparison> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const { questionnaire: q } = snapshot
  if (queries.length > MAX_GROUPS) throw problems.invalidField('group', 'limit_reached', { max: MAX_GROUPS })
  const base = await reportFilters(context, snapshot, report, request)
  const own: Filter[][] = []
  for (const query of queries) {
    const filter = new URLSearchParams(query).get('filter') ?? undefined
    own.push(await filtersOf(context, snapshot, { search: query, mode: 'strict', parameters: NO_PARAMETERS, filter }))
  }
  if (own.length === 0) own.push([])
  const groups = own.map((filters) => [...base, ...filters])
  if (previous) groups.push(previousPeriod(q, base))
  const predicates = reportPredicates(q)
  const results: { n: number; questions: QuestionStats[] }[] = []
  for (const filters of groups) {
    const counts = await countByRollup(context, surveyId, filters, predicates)
    const n = STATES.reduce((sum, state) => sum + counts(state), 0)
    results.push({ n, questions: reportedQuestions(q).map((question) => questionStats(question, counts)) })
  }
  const overlaps = await overlapsOf(context, surveyId, groups)
  const isComparable = (a: number, b: number) => !overlaps[a]!.includes(b)
  const shown = reportedQuestions(q).flatMap((question, index) =>
    !report.questions || report.questions.includes(question.id) ? [{ question, index }] : [],
  )
  const db = context.em.getKysely<Tables>()
  const keys = shown.flatMap(({ question }) => (question.fields[0]?.choices.length ? [] : numericKeys(question)))
  const numbers = await remember(context, snapshot, ['groups', groups, keys], () =>
    numbersOf(db, surveyId, groups, keys),
  )
  return {
    questionnaire: q,
    groups: results.map(({ n }, index) => ({
      query: queries[index] ?? (index === 0 ? '' : undefined),
      n,
      overlaps: overlaps[index]!,
    })),
    questions: shown.map(({ question, index }) => ({
      question,
      answered: results.map(({ questions }) => questions[index]!.answered),
      fields: question.fields.map((field, at) =>
        comparedField(
          field,
          results.map(({ questions }) => questions[index]!.fields[at]!),
          numbers.get(field.key),
          isComparable,
        ),
      ),
    })),
  }
}

/**
 * Returns the filters of the period before, which is as long as the period of the filters on `_created_at`.
 * @throws {Problem} `invalid_request` if the filters have no start or no end
 */
function previousPeriod(q: Questionnaire, filters: readonly Filter[]): Filter[] {
  const others = filters.filter(({ test }) => test.kind !== 'time' || test.column !== 'created_at')
  let [since, until] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const { test } of filters) {
    if (test.kind !== 'time' || test.column !== 'created_at') continue
    if (test.operator === '>' || test.operator === '>=' || test.operator === '=')
      since = Math.max(since, test.operator === '>' ? test.before : test.from)
    if (test.operator === '<' || test.operator === '<=' || test.operator === '=')
      until = Math.min(until, test.operator === '<' ? test.from : test.before)
  }
  const start = since - (until - since)
  if (!(until > since) || !Number.isFinite(until - since) || start < EARLIEST)
    throw problems.invalidField('previous_period', 'period_required')
  const text = (time: number) => encodeURIComponent(new Date(time).toISOString())
  const period = `_created_at>=${text(start)}&_created_at<${text(since)}`
  return [...others, ...parseFilters(period, q, 'strict', new Set())]
}

const EARLIEST = Date.parse('0100-01-01T00:00:00Z')

/** Returns for each group the groups with which it shares responses. */
async function overlapsOf(context: Context, surveyId: number, groups: readonly Filter[][]): Promise<number[][]> {
  const overlaps = groups.map((): number[] => [])
  for (const [a, first] of groups.entries())
    for (const [b, second] of groups.entries()) {
      if (b <= a) continue
      const counts = await countByRollup(context, surveyId, [...first, ...second], STATES)
      if (STATES.every((state) => counts(state) === 0)) continue
      overlaps[a]!.push(b)
      overlaps[b]!.push(a)
    }
  return overlaps.map((others) => others.sort((a, b) => a - b))
}

/** Summarises the numbers under each key for each group, reading the responses once. */
async function numbersOf(
  db: Kysely<Tables>,
  surveyId: number,
  groups: readonly Filter[][],
  keys: readonly string[],
): Promise<Map<string, Moments[]>> {
  if (keys.length === 0) return new Map()
  const eb = expressionBuilder<Tables, 'response'>()
  const isMember = groups.map((filters) => sql`coalesce(${whereResponses(surveyId, filters)(eb)}, false)`)
  const { rows } = await sql<{ key: string; position: number; n: number; mean: number; variance: number }>`
    select key, position, count(*) as n, avg(value)::float8 as mean, var_pop(value)::float8 as variance
    from (
      select question.key, ${numberIn(sql.ref('question.key'))} as value, members
      from response cross join lateral (select array[${sql.join(isMember)}] as members) as member,
        unnest(${keys}::text[]) as question(key)
      where response.survey_id = ${surveyId}::bigint and true = any(members)
      offset 0
    ) as number, unnest(members) with ordinality as membership(is_member, position)
    where is_member and value is not null
    group by key, position`.execute(db)
  const moments = new Map(keys.map((key) => [key, groups.map((): Moments => ({ n: 0, mean: 0, squares: 0 }))]))
  for (const { key, position, n, mean, variance } of rows)
    moments.get(key)![position - 1] = { n, mean, squares: variance * n }
  return moments
}

type IsComparable = (a: number, b: number) => boolean

function comparedField(
  field: Field,
  groups: readonly FieldStats[],
  numbers: readonly Moments[] | undefined,
  isComparable: IsComparable,
): ComparedField {
  const answered = groups.map((group) => group.answered)
  const compared = (counts: readonly number[], ranks?: readonly (number | null | undefined)[]): GroupCell[] => {
    const lower = field.type === 'ranking' ? [] : lowerProportions(counts, answered, isComparable)
    return counts.map((count, index) => ({
      count,
      lower: lower[index] ?? [],
      ...(ranks && { meanRank: ranks[index] }),
    }))
  }
  const choices = (groups[0]?.choices ?? []).map(({ choice }, at) => {
    const summaries = groups.map((group) => group.choices![at]!)
    const ranks = field.type === 'ranking' ? summaries.map(({ meanRank }) => meanRank) : undefined
    return {
      choice,
      isRemoved: false,
      cells: compared(
        summaries.map(({ count }) => count),
        ranks,
      ),
    }
  })
  const removed = new Map(groups.flatMap((group) => group.removed ?? []).map(({ choice }) => [choice.uid, choice]))
  const left = [...removed.values()].map((choice) => ({
    choice,
    isRemoved: true,
    cells: compared(groups.map((group) => group.removed?.find((one) => one.choice.uid === choice.uid)?.count ?? 0)),
  }))
  const scores = groups[0]?.mean === undefined ? undefined : groups.map(scoreMoments)
  const moments = numbers ?? scores
  const hasPromoters = groups[0]?.promoters !== undefined
  return {
    field,
    answered,
    choices: [...choices, ...left],
    ...(moments && { means: withLower(moments, isComparable) }),
    ...(hasPromoters && { scores: promoterScores(groups, isComparable) }),
  }
}

const scoreMoments = ({ choices = [] }: FieldStats): Moments =>
  momentsOf(choices.map(({ choice, count }) => [choice.score, count]))

function withLower(moments: readonly Moments[], isComparable: IsComparable) {
  const lower = lowerMeans(moments, isComparable)
  return moments.map((one, index) => ({ ...meanSummary(one), lower: lower[index]! }))
}

/** Compares net promoter scores as means of 100 for promoters, 0 for passives and −100 for detractors. */
function promoterScores(groups: readonly FieldStats[], isComparable: IsComparable) {
  const breakdowns = groups.map(({ choices = [] }) =>
    npsBreakdown(choices.map(({ choice, count }) => [choice.index, count])),
  )
  const moments = breakdowns.map(({ promoters, passives, detractors }) =>
    combineMoments([
      { n: promoters, mean: 100, squares: 0 },
      { n: passives, mean: 0, squares: 0 },
      { n: detractors, mean: -100, squares: 0 },
    ]),
  )
  const lower = lowerMeans(moments, isComparable)
  return breakdowns.map(({ score, interval }, index) => ({ score, interval, lower: lower[index]! }))
}
