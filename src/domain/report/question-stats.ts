import { typeOf } from '../../questions/index.ts'
import {
  anyRowAnswered,
  type Counts,
  countedRemoved,
  positionsIn,
  valuePredicate,
} from '../response/filter/predicate.ts'
import type { Choice, Field, Question, RemovedChoice, Row } from '../structure/questionnaire.ts'
import { type MeanSummary, meanSummary, momentsOf } from './significance.ts'

/** A choice, and the number of responses in which it is selected. */
export interface ChoiceSummary {
  choice: Choice
  count: number
  /** Percentage of the responses with an answer. */
  percentage: number
  /** Number of responses per rank; only for rankings. */
  rankCounts?: readonly number[]
  /** The mean of the ranks, which count from 1; only for rankings. */
  meanRank?: number | null
}

/** A removed choice, and the number of responses in which it is selected. */
export interface RemovedChoiceSummary {
  choice: RemovedChoice
  count: number
  percentage: number
}

/** Statistics of the answers of one response key. */
export interface FieldStats {
  field: Field
  row?: Row
  answered: number
  choices?: readonly ChoiceSummary[]
  /** Removed choices with answers. */
  removed?: readonly RemovedChoiceSummary[]
  /** Mean and median of the scores of the selected choices; only for single-choice fields. */
  mean?: number | null
  median?: number | null
  /** How the scores spread around the mean; absent if there is no mean. */
  spread?: Spread
  promoters?: NpsBreakdown
}

export interface QuestionStats {
  question: Question
  /** Number of responses with an answer. For a grid, an answer to any row is sufficient. */
  answered: number
  fields: readonly FieldStats[]
}

/** Computes the statistics of a question from the counts of its predicates. */
export function questionStats(question: Question, counts: Counts): QuestionStats {
  const fields = question.fields.map((field) => fieldStats(field, counts))
  const [grid] = anyRowAnswered(question)
  return { question, answered: grid ? counts(grid) : (fields[0]?.answered ?? 0), fields }
}

function fieldStats(field: Field, counts: Counts): FieldStats {
  const base = { field, ...(field.row && { row: field.row }) }
  switch (field.type) {
    case 'single':
    case 'boolean':
    case 'number':
      return { ...base, ...singleChoiceStats(field, counts) }
    case 'multi':
      return { ...base, ...multipleChoiceStats(field, counts) }
    case 'ranking':
      return { ...base, ...rankingStats(field, counts) }
    default:
      return { ...base, answered: answeredIn(field, counts) }
  }
}

type Stats = Omit<FieldStats, 'field' | 'row'>

const answeredIn = ({ storedKey: key }: Field, counts: Counts) => counts({ kind: 'answered', keys: [key] })

function singleChoiceStats(field: Field, counts: Counts): Stats {
  const present = field.choices.map((choice) => ({ choice, count: counts(valuePredicate(field, choice.uid)) }))
  const removedChoices = field.type === 'boolean' ? [] : countedRemoved(field)
  const removed = removedChoices.map((choice) => ({ choice, count: counts(valuePredicate(field, choice.uid)) }))
  const answered = [...present, ...removed].reduce((sum, { count }) => sum + count, 0)
  const scores: Distribution = present.map(({ choice, count }) => [choice.score, count])
  return {
    answered,
    choices: present.map(({ choice, count }) => ({ choice, count, percentage: percentage(count, answered) })),
    ...removedSummaries(removed, answered),
    mean: mean(scores),
    median: median(scores),
    ...spreadOf(scores),
    ...(typeOf(field.question.kind)?.promoters && {
      promoters: npsBreakdown(present.map(({ choice, count }) => [choice.index, count])),
    }),
  }
}

const countChosen = ({ storedKey: key }: Field, uid: number, counts: Counts) =>
  counts({ kind: 'chosen', key, index: uid })

/** Returns the removed choices that have answers. */
function removedSummaries(
  counted: readonly { choice: RemovedChoice; count: number }[],
  answered: number,
): Pick<Stats, 'removed'> {
  const removed = counted.filter(({ count }) => count > 0)
  return removed.length === 0
    ? {}
    : { removed: removed.map(({ choice, count }) => ({ choice, count, percentage: percentage(count, answered) })) }
}

function multipleChoiceStats(field: Field, counts: Counts): Stats {
  const answered = answeredIn(field, counts)
  return {
    answered,
    choices: field.choices.map((choice) => {
      const count = countChosen(field, choice.uid, counts)
      return { choice, count, percentage: percentage(count, answered) }
    }),
    ...removedSummaries(
      countedRemoved(field).map((choice) => ({ choice, count: countChosen(field, choice.uid, counts) })),
      answered,
    ),
  }
}

function rankingStats(field: Field, counts: Counts): Stats {
  const answered = answeredIn(field, counts)
  return {
    answered,
    choices: field.choices.map((choice) => {
      const rankCounts = rankCountsOf(field, choice.uid, counts)
      const count = rankCounts.reduce((sum, rankCount) => sum + rankCount, 0)
      const meanRank = mean(rankCounts.map((rankCount, index) => [index + 1, rankCount]))
      return { choice, count, percentage: percentage(count, answered), rankCounts, meanRank }
    }),
    ...removedSummaries(
      countedRemoved(field).map((choice) => ({ choice, count: countChosen(field, choice.uid, counts) })),
      answered,
    ),
  }
}

/** Returns the number of responses per rank of a choice. */
const rankCountsOf = (field: Field, uid: number, counts: Counts): number[] =>
  Array.from({ length: positionsIn(field) }, (_, place) =>
    counts({ kind: 'placed', key: field.storedKey, index: uid, place }),
  )

/** Numbers with their frequencies. */
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

/** Returns the spread of numbers; nothing without numbers. */
function spreadOf(distribution: Distribution): { spread?: Spread } {
  const { mean: _, ...summary } = meanSummary(momentsOf(distribution))
  if (summary.n === 0) return {}
  return {
    spread: { ...summary, lowerQuartile: quantile(distribution, 0.25), upperQuartile: quantile(distribution, 0.75) },
  }
}

/**
 * Returns a quantile with four decimals, interpolated between the two nearest numbers (`percentile_cont` of PostgreSQL,
 * type 7 of R); null without numbers.
 */
export function quantile(distribution: Distribution, share: number): number | null {
  const size = sizeOf(distribution)
  if (size === 0) return null
  const sorted = distribution.toSorted(([a], [b]) => a - b)
  const valueAt = (position: number): number => {
    let cumulated = 0
    for (const [value, count] of sorted) {
      cumulated += count
      if (position < cumulated) return value
    }
    throw new RangeError(`no position ${position} among ${size}`)
  }
  const position = (size - 1) * share
  const [low, high] = [valueAt(Math.floor(position)), valueAt(Math.ceil(position))]
  return round(low + (high - low) * (position % 1), 4)
}

/** Answers from 0 to 10 to “How likely are you to recommend us?”, by group. */
interface NpsBreakdown {
  promoters: number
  passives: number
  detractors: number
  /** The net promoter score (docs/specification.md 10.2) with one decimal; null without answers. */
  score: number | null
  /** The 95 % confidence interval of the score with one decimal, from −100 to 100; null for fewer than two answers. */
  interval: readonly [low: number, high: number] | null
}

/** Groups answers from 0 to 10 into promoters, passives and detractors. */
export function npsBreakdown(distribution: Distribution): NpsBreakdown {
  const countBetween = (low: number, high: number) =>
    sizeOf(distribution.filter(([value]) => value >= low && value <= high))
  const [promoters, passives, detractors] = [countBetween(9, 10), countBetween(7, 8), countBetween(0, 6)]
  const total = promoters + passives + detractors
  const score = total === 0 ? null : round(((promoters - detractors) / total) * 100, 1)
  // The score is the mean of 100 for promoters, 0 for passives and −100 for detractors.
  const { interval } = meanSummary(
    momentsOf([
      [100, promoters],
      [0, passives],
      [-100, detractors],
    ]),
  )
  const [low, high] = interval ?? []
  return {
    ...{ promoters, passives, detractors, score },
    interval:
      low === undefined || high === undefined ? null : [round(Math.max(-100, low), 1), round(Math.min(100, high), 1)],
  }
}
