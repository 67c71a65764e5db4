import { expressionBuilder, type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { type Filter, parseFilters } from '../response/filter/filter.ts'
import { reportedQuestions, STATES } from '../response/filter/predicate.ts'
import { weightOf } from '../response/filter/weight.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import { filtersOf, type ResponseSearch } from '../response/list/queries.ts'
import { countByRollup } from '../rollup/segments.ts'
import type { Tally } from '../rollup/weighted.ts'
import type { Choice, Field, Question, Questionnaire, RemovedChoice } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import { remember } from '../survey/remembered.ts'
import { type Weighting, weightingIn } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { numericKeys } from './histogram.ts'
import { type NumberSummary, summariseNumbers, summaryName } from './number-summary.ts'
import { type ReportFilter, reportFilters, tallyResponses } from './queries.ts'
import {
  type ChoiceSummary,
  type FieldStats,
  type NpsBreakdown,
  type QuestionStats,
  questionStats,
  type RemovedChoiceSummary,
  sumOfTallies,
  type WeightedBase,
  weightedBase,
} from './question-stats.ts'
import { lowerMeans, lowerProportions, type MeanSummary, type Moments, meanSummary } from './significance.ts'

/** Responses that are compared with those of other groups. */
export interface Group {
  /** The weights of the responses; only with weights. */
  weighted?: WeightedBase
  /** The filters that select the group among the responses of the report; undefined: the period before. */
  query: string | undefined
  n: number
  /** Positions of the groups with which this group shares responses, so that differences from them are not tested. */
  overlaps: readonly number[]
}

/** The share of a choice in a group. */
export interface GroupCell {
  count: number
  /** The sum of the weights of these responses; only with weights. */
  weighted?: number | undefined
  /** The percentage of the responses of the group with an answer. */
  percentage: number
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
  /** The weights of these responses, by group; only with weights. */
  weighted?: readonly WeightedBase[]
  choices: readonly { choice: Choice | RemovedChoice; isRemoved: boolean; cells: readonly GroupCell[] }[]
  /** Means and quartiles of scores or numbers by group; absent for texts and multiple choices. */
  means?: readonly GroupMean[]
  /** Net promoter scores by group. */
  scores?: readonly { score: number | null; interval: readonly [number, number] | null; lower: readonly number[] }[]
}

/** The scores or numbers of a group. `n` is their number. */
export interface GroupMean extends MeanSummary {
  median: number | null
  lowerQuartile: number | null
  upperQuartile: number | null
  lower: readonly number[]
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
  /** Whether shares, means and tests are those of the weighted responses. */
  weighted?: boolean
}

const NO_PARAMETERS: ReadonlySet<string> = new Set(['filter'])

/**
 * Computes the figures of a report for several groups of its responses.
 * @throws {Problem} `survey_not_found`, `forbidden`, `weighting_not_found`; `invalid_request` naming `group`,
 *   `previous_period` or a filter
 */
export async function compareGroups(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  { queries, previous, weighted = false }: GroupRequest,
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
  const weighting = weighted ? weightingIn(snapshot) : undefined
  const results: { all: Tally; questions: QuestionStats[] }[] = []
  for (const filters of groups) {
    const tallied = await tallyResponses(context, snapshot, filters, weighted)
    const all = sumOfTallies(STATES.map(tallied.tally))
    results.push({ all, questions: reportedQuestions(q).map((question) => questionStats(question, tallied)) })
  }
  const overlaps = await remember(context, snapshot, ['overlaps', groups], () => overlapsOf(context, surveyId, groups))
  const isComparable = (a: number, b: number) => !overlaps[a]!.includes(b)
  const shown = reportedQuestions(q).flatMap((question, index) =>
    !report.questions || report.questions.includes(question.id) ? [{ question, index }] : [],
  )
  const db = context.em.getKysely<Tables>()
  const keys = shown.flatMap(({ question }) => (question.fields[0]?.choices.length ? [] : numericKeys(question)))
  const numbers = await remember(context, snapshot, ['groups', groups, keys, weighted], () =>
    numbersOf(db, surveyId, groups, { keys, weighting }),
  )
  return {
    questionnaire: q,
    groups: results.map(({ all }, index) => ({
      query: queries[index] ?? (index === 0 ? '' : undefined),
      n: all.count,
      ...weightedBase(all, { isWeighted: weighted }),
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
  { keys, weighting }: { keys: readonly string[]; weighting: Weighting | undefined },
): Promise<Map<string, (NumberSummary | undefined)[]>> {
  if (keys.length === 0) return new Map()
  const eb = expressionBuilder<Tables, 'response'>()
  const isMember = groups.map((filters) => sql`coalesce(${whereResponses(surveyId, filters)(eb)}, false)`)
  const weight = weighting ? weightOf(weighting) : sql`1::float8`
  const numbers = sql`
    select key, position, value, w from (
      select question.key, ${numberIn(sql.ref('question.key'))} as value, members, ${weight} as w
      from response cross join lateral (select array[${sql.join(isMember)}] as members) as member,
        unnest(${keys}::text[]) as question(key)
      where response.survey_id = ${surveyId}::bigint and true = any(members)
      offset 0
    ) as number, unnest(members) with ordinality as membership(is_member, position)
    where is_member`
  const summaries = await summariseNumbers(db, numbers, weighting !== undefined)
  return new Map(keys.map((key) => [key, groups.map((_, index) => summaries.get(summaryName(key, index + 1)))]))
}

type IsComparable = (a: number, b: number) => boolean

function comparedField(
  field: Field,
  groups: readonly FieldStats[],
  numbers: readonly (NumberSummary | undefined)[] | undefined,
  isComparable: IsComparable,
): ComparedField {
  const answered = groups.map((group) => group.answered)
  const compared = (summaries: readonly (ChoiceSummary | RemovedChoiceSummary | undefined)[]): GroupCell[] => {
    // Shares are tested with the effective number of responses.
    const bases = groups.map((group) => group.weighted?.effectiveN ?? group.answered)
    const counts = summaries.map((one, index) => {
      const { weighted: base } = groups[index]!
      return base ? ((one?.weighted ?? 0) / (base.n || 1)) * base.effectiveN : (one?.count ?? 0)
    })
    const lower = field.type === 'ranking' ? [] : lowerProportions(counts, bases, isComparable)
    return summaries.map((one, index) => ({
      count: one?.count ?? 0,
      ...(groups[index]!.weighted && { weighted: one?.weighted ?? 0 }),
      percentage: one?.percentage ?? 0,
      lower: lower[index] ?? [],
      ...(one && 'meanRank' in one && { meanRank: one.meanRank }),
    }))
  }
  const choices = (groups[0]?.choices ?? []).map(({ choice }, at) => ({
    choice,
    isRemoved: false,
    cells: compared(groups.map((group) => group.choices![at]!)),
  }))
  const removed = new Map(groups.flatMap((group) => group.removed ?? []).map(({ choice }) => [choice.uid, choice]))
  const left = [...removed.values()].map((choice) => ({
    choice,
    isRemoved: true,
    cells: compared(groups.map((group) => group.removed?.find((one) => one.choice.uid === choice.uid))),
  }))
  const hasScores = groups[0]?.mean !== undefined
  const means = numbers?.map(numberMean) ?? (hasScores ? groups.map(scoreMean) : undefined)
  const scores = groups.flatMap(({ promoters }) => promoters ?? [])
  const bases = groups.flatMap(({ weighted }) => weighted ?? [])
  return {
    field,
    answered,
    ...(bases.length > 0 && { weighted: bases }),
    choices: [...choices, ...left],
    ...(means && { means: withLower(means, isComparable) }),
    ...(scores.length > 0 && { scores: withLowerScores(scores, isComparable) }),
  }
}

interface Mean extends Omit<GroupMean, 'lower'> {
  moments: Moments
}

const NO_NUMBERS: Mean = {
  ...{ n: 0, mean: null, deviation: null, interval: null, median: null, lowerQuartile: null, upperQuartile: null },
  moments: { n: 0, mean: 0, squares: 0 },
}

const numberMean = (summary: NumberSummary | undefined): Mean => {
  if (!summary) return NO_NUMBERS
  const { mean, median, spread, moments } = summary
  return { mean, median, ...spread, moments }
}

function scoreMean({ median = null, spread, moments }: FieldStats): Mean {
  if (!spread || !moments) return NO_NUMBERS
  const { mean } = meanSummary(moments)
  return { mean, median, ...spread, moments }
}

function withLower(means: readonly Mean[], isComparable: IsComparable): GroupMean[] {
  const lower = lowerMeans(
    means.map(({ moments }) => moments),
    isComparable,
  )
  return means.map(({ moments: _, ...mean }, index) => ({ ...mean, lower: lower[index]! }))
}

/** Compares net promoter scores as means of 100 for promoters, 0 for passives and −100 for detractors. */
function withLowerScores(scores: readonly NpsBreakdown[], isComparable: IsComparable) {
  const lower = lowerMeans(
    scores.map(({ moments }) => moments),
    isComparable,
  )
  return scores.map(({ score, interval }, index) => ({ score, interval, lower: lower[index]! }))
}
