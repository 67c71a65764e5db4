import { typeOf } from '../../questions/index.ts'
import type { Category } from '../response/coding/categories.ts'
import {
  anyRowAnswered,
  type Counts,
  countedRemoved,
  positionsIn,
  valuePredicate,
} from '../response/filter/predicate.ts'
import type { Tallies, Tally } from '../rollup/weighted.ts'
import type { Choice, Field, Question, RemovedChoice, Row } from '../structure/questionnaire.ts'
import { type MeanSummary, type Moments, meanSummary, momentsOf } from './significance.ts'

/** The sum of weights, and the number of responses with equal weights that would be as exact (Kish). */
export interface WeightedBase {
  n: number
  effectiveN: number
}

/** A choice, and the number of responses in which it is selected. */
export interface ChoiceSummary {
  choice: Choice
  count: number
  /** The sum of the weights of these responses; only with weights. */
  weighted?: number
  /** Percentage of the responses with an answer, weighted if the report is. */
  percentage: number
  /** Number of responses per rank; only for rankings. */
  rankCounts?: readonly number[]
  /** Sums of weights per rank; only with weights. */
  rankWeights?: readonly number[]
  /** The mean of the ranks, which count from 1; only for rankings. */
  meanRank?: number | null
}

/** A removed choice, and the number of responses in which it is selected. */
export interface RemovedChoiceSummary {
  choice: RemovedChoice
  count: number
  weighted?: number
  percentage: number
}

/** The text answers of a field by category. */
export interface CodedTexts {
  /** Answers in a category, and answers that no category fits: the base of the percentages. */
  coded: number
  weighted?: WeightedBase
  /** Answers that no category fits. */
  none: CodedCount
  /** An answer can be in several categories, so that percentages can add up to more than 100. */
  categories: readonly (CodedCount & { category: Category })[]
}

export interface CodedCount {
  count: number
  weighted?: number
  percentage: number
}

/** Statistics of the answers of one response key. */
export interface FieldStats {
  field: Field
  row?: Row
  answered: number
  /** The base of the percentages; only with weights. */
  weighted?: WeightedBase
  choices?: readonly ChoiceSummary[]
  /** Removed choices with answers. */
  removed?: readonly RemovedChoiceSummary[]
  /** Mean and median of the scores of the selected choices; only for single-choice fields. */
  mean?: number | null
  median?: number | null
  /** How the scores spread around the mean, and their moments; absent if there is no mean. */
  spread?: Spread
  moments?: Moments
  promoters?: NpsBreakdown
  /** Text answers by category; absent if none is coded. */
  coding?: CodedTexts
}

export interface QuestionStats {
  question: Question
  /** Number of responses with an answer. For a grid, an answer to any row is sufficient. */
  answered: number
  weighted?: WeightedBase
  fields: readonly FieldStats[]
}

/** Counts of responses, or with `isWeighted` these and the sums of their weights. */
export interface Tallied {
  tally: Tallies
  isWeighted: boolean
}

/** Returns the tally of responses of which every one has the weight 1. */
export const plainTally = (count: number): Tally => ({ count, weight: count, squares: count })

/** Returns counts as tallies without weights. */
export const unweighted = (counts: Counts): Tallied => ({
  isWeighted: false,
  tally: (predicate) => plainTally(counts(predicate)),
})

/** Returns the base of the percentages of tallied responses as a member; nothing without weights. */
export const weightedBase = (
  { weight, squares }: Tally,
  { isWeighted }: Pick<Tallied, 'isWeighted'>,
): { weighted?: WeightedBase } =>
  isWeighted ? { weighted: { n: weight, effectiveN: effectiveOf({ weight, squares }) } } : {}

const effectiveOf = ({ weight, squares }: Pick<Tally, 'weight' | 'squares'>): number =>
  squares === 0 ? 0 : (weight * weight) / squares

/** Computes the statistics of a question from the tallies of its predicates. */
export function questionStats(question: Question, tallied: Tallied): QuestionStats {
  const fields = question.fields.map((field) => fieldStats(field, tallied))
  const [grid] = anyRowAnswered(question)
  const [first] = fields
  const base = grid
    ? { answered: tallied.tally(grid).count, ...weightedBase(tallied.tally(grid), tallied) }
    : { answered: first?.answered ?? 0, ...(first?.weighted && { weighted: first.weighted }) }
  return { question, ...base, fields }
}

function fieldStats(field: Field, tallied: Tallied): FieldStats {
  const base = { field, ...(field.row && { row: field.row }) }
  switch (field.type) {
    case 'single':
    case 'boolean':
    case 'number':
      return { ...base, ...singleChoiceStats(field, tallied) }
    case 'multi':
    case 'ranking':
      return { ...base, ...listStats(field, tallied) }
    default:
      return { ...base, ...answeredIn(field, tallied).base }
  }
}

type Stats = Omit<FieldStats, 'field' | 'row'>

/** Returns the responses with an answer: the base of percentages. */
function answeredIn({ storedKey: key }: Field, tallied: Tallied) {
  const answered = tallied.tally({ kind: 'answered', keys: [key] })
  return { answered, base: { answered: answered.count, ...weightedBase(answered, tallied) } }
}

/** A choice with the responses in which it is selected. */
interface TalliedChoice<Of> {
  choice: Of
  tally: Tally
}

function summaryOf<Of>({ choice, tally }: TalliedChoice<Of>, base: Tally, { isWeighted }: Tallied) {
  const { count, weight } = tally
  return { choice, count, ...(isWeighted && { weighted: weight }), percentage: percentage(weight, base.weight) }
}

function singleChoiceStats(field: Field, tallied: Tallied): Stats {
  const tallyOf = <Of extends { uid: number }>(choice: Of): TalliedChoice<Of> => ({
    choice,
    tally: tallied.tally(valuePredicate(field, choice.uid)),
  })
  const present = field.choices.map(tallyOf)
  const removed = field.type === 'boolean' ? [] : countedRemoved(field).map(tallyOf)
  const scored = sumOfTallies(present.map(({ tally }) => tally))
  const answered = sumOfTallies([...present, ...removed].map(({ tally }) => tally))
  const scores: Distribution = present.map(({ choice, tally }) => [choice.score, tally.weight])
  return {
    answered: answered.count,
    ...weightedBase(answered, tallied),
    choices: present.map((one) => summaryOf(one, answered, tallied)),
    ...removedSummaries(removed, answered, tallied),
    mean: mean(scores),
    median: median(scores),
    ...spreadOf(scores, scored, tallied),
    ...(typeOf(field.question.kind)?.promoters && {
      promoters: npsBreakdown(present.map(({ choice, tally }) => [choice.index, tally])),
    }),
  }
}

/** Adds up the tallies of responses that differ. */
export const sumOfTallies = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (sum, { count, weight, squares }) => ({
      count: sum.count + count,
      weight: sum.weight + weight,
      squares: sum.squares + squares,
    }),
    { count: 0, weight: 0, squares: 0 },
  )

const chosenIn = ({ storedKey: key }: Field, uid: number, { tally }: Tallied) =>
  tally({ kind: 'chosen', key, index: uid })

/** Returns the removed choices that have answers. */
function removedSummaries(
  choices: readonly TalliedChoice<RemovedChoice>[],
  answered: Tally,
  tallied: Tallied,
): Pick<Stats, 'removed'> {
  const removed = choices.filter(({ tally }) => tally.count > 0)
  return removed.length === 0 ? {} : { removed: removed.map((one) => summaryOf(one, answered, tallied)) }
}

/** Returns the statistics of a multiple choice or a ranking. */
function listStats(field: Field, tallied: Tallied): Stats {
  const { answered, base } = answeredIn(field, tallied)
  const removed = countedRemoved(field).map((choice) => ({ choice, tally: chosenIn(field, choice.uid, tallied) }))
  return {
    ...base,
    choices: field.choices.map((choice) => {
      if (field.type === 'multi')
        return summaryOf({ choice, tally: chosenIn(field, choice.uid, tallied) }, answered, tallied)
      const ranks = ranksOf(field, choice.uid, tallied)
      const meanRank = mean(ranks.map(({ weight }, index) => [index + 1, weight]))
      const rankCounts = ranks.map(({ count }) => count)
      return {
        ...summaryOf({ choice, tally: sumOfTallies(ranks) }, answered, tallied),
        ...{ rankCounts, meanRank },
        ...(tallied.isWeighted && { rankWeights: ranks.map(({ weight }) => weight) }),
      }
    }),
    ...removedSummaries(removed, answered, tallied),
  }
}

/** Returns the responses per rank of a choice. */
const ranksOf = (field: Field, uid: number, { tally }: Tallied): Tally[] =>
  Array.from({ length: positionsIn(field) }, (_, place) =>
    tally({ kind: 'placed', key: field.storedKey, index: uid, place }),
  )

/** Numbers with their frequencies, or with sums of weights. */
export type Distribution = readonly (readonly [value: number, count: number])[]

/** Rounds a number to a number of decimals. */
export const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits

/** Returns a percentage with one decimal; 0 if the whole is 0. */
export const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : round((part / whole) * 100, 1))

const sizeOf = (distribution: Distribution) => distribution.reduce((sum, [, count]) => sum + count, 0)

/** Returns the arithmetic mean with four decimals; null without numbers. */
export function mean(distribution: Distribution): number | null {
  const size = sizeOf(distribution)
  if (size === 0) return null
  return round(distribution.reduce((sum, [value, count]) => sum + value * count, 0) / size, 4)
}

/** Returns the median with four decimals; null without numbers. */
export const median = (distribution: Distribution): number | null => quantile(distribution, 0.5)

/** How numbers spread around their mean. */
export interface Spread extends Omit<MeanSummary, 'mean'> {
  lowerQuartile: number | null
  upperQuartile: number | null
}

/**
 * Returns the spread of numbers; nothing without numbers. With weights, the interval and the standard deviation are those
 * of the effective number of responses.
 */
function spreadOf(
  distribution: Distribution,
  all: Tally,
  { isWeighted }: Tallied,
): Pick<FieldStats, 'spread' | 'moments'> {
  if (all.count === 0) return {}
  const plain = momentsOf(distribution)
  const moments = isWeighted ? effectiveMoments(plain, effectiveOf(all)) : plain
  const { deviation, interval } = meanSummary(moments)
  const [lowerQuartile, upperQuartile] = [quantile(distribution, 0.25), quantile(distribution, 0.75)]
  return { spread: { n: all.count, deviation, interval, lowerQuartile, upperQuartile }, moments }
}

/** Returns moments of weighted numbers as those of an effective number of responses. */
export const effectiveMoments = ({ n, mean, squares }: Moments, effectiveN: number): Moments => ({
  n: effectiveN,
  mean,
  squares: n === 0 ? 0 : (squares * effectiveN) / n,
})

/**
 * Returns a quantile with four decimals, interpolated between the two nearest numbers (`percentile_cont` of PostgreSQL,
 * type 7 of R; with weights, `wtd.quantile` of the R package Hmisc); null without numbers.
 */
export function quantile(distribution: Distribution, share: number): number | null {
  const size = sizeOf(distribution)
  if (size === 0) return null
  const sorted = distribution.toSorted(([a], [b]) => a - b).filter(([, weight]) => weight > 0)
  const { low, high, between } = ranksAt(size, share)
  const valueAt = (rank: number): number => {
    let cumulated = 0
    for (const [value, weight] of sorted) {
      cumulated += weight
      if (cumulated >= rank) return value
    }
    return sorted.at(-1)![0]
  }
  const [below, above] = [valueAt(low), valueAt(high)]
  return round(below + (above - below) * between, 4)
}

/** Ranks, from 1, are cumulated weights, which are inexact. */
export const RANK_TOLERANCE = 1e-9

/** Returns the ranks of the numbers between which a quantile lies, less a tolerance. */
export function ranksAt(sum: number, share: number): { low: number; high: number; between: number } {
  const size = round(sum, 9)
  const rank = 1 + (size - 1) * share
  const low = Math.max(1, Math.floor(rank))
  const tolerance = RANK_TOLERANCE * size
  return { low: low - tolerance, high: Math.min(low + 1, size) - tolerance, between: rank < 1 ? 0 : rank % 1 }
}

/** Answers from 0 to 10 to “How likely are you to recommend us?”, by group. */
export interface NpsBreakdown {
  promoters: number
  passives: number
  detractors: number
  /** The net promoter score (docs/specification.md 10.2) with one decimal; null without answers. */
  score: number | null
  /** The 95 % confidence interval of the score with one decimal, from −100 to 100; null for fewer than two answers. */
  interval: readonly [low: number, high: number] | null
  /** The moments of which the score is the mean. */
  moments: Moments
}

/** Groups answers from 0 to 10 into promoters, passives and detractors. The score is weighted. */
export function npsBreakdown(distribution: readonly (readonly [value: number, tally: Tally])[]): NpsBreakdown {
  const between = (low: number, high: number) =>
    sumOfTallies(distribution.filter(([value]) => value >= low && value <= high).map(([, tally]) => tally))
  const [promoters, passives, detractors] = [between(9, 10), between(7, 8), between(0, 6)]
  const all = sumOfTallies([promoters, passives, detractors])
  const score = all.weight === 0 ? null : round(((promoters.weight - detractors.weight) / all.weight) * 100, 1)
  // The score is the mean of 100 for promoters, 0 for passives and −100 for detractors.
  const moments = effectiveMoments(
    momentsOf([
      [100, promoters.weight],
      [0, passives.weight],
      [-100, detractors.weight],
    ]),
    effectiveOf(all),
  )
  const [low, high] = meanSummary(moments).interval ?? []
  return {
    ...{ promoters: promoters.count, passives: passives.count, detractors: detractors.count, score },
    ...{ moments },
    interval:
      low === undefined || high === undefined ? null : [round(Math.max(-100, low), 1), round(Math.min(100, high), 1)],
  }
}
