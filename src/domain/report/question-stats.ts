import { type Counts, countedRemoved, positionsIn, valuePredicate } from '../rollup/predicate.ts'
import { anyRowAnswered } from '../rollup/report-predicates.ts'
import type { Choice, Field, Question, RemovedChoice, Row } from '../structure/questionnaire.ts'
import { type Distribution, mean, median, type NpsBreakdown, npsBreakdown, percentage } from './stats.ts'

/** Number of responses with a choice; `percentage` of the responses with an answer. */
export interface ChoiceSummary {
  choice: Choice
  count: number
  percentage: number
  /** Of a ranking: number of responses per rank, and the mean rank from 1. */
  rankCounts?: readonly number[]
  meanRank?: number | null
}

/** Number of responses with a removed choice. */
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
  /** Mean and median of the scores of the chosen choices; only of single choices. */
  mean?: number | null
  median?: number | null
  promoters?: NpsBreakdown
}

export interface QuestionStats {
  question: Question
  /** Responses with an answer; of a grid, to any row. */
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
  const made = field.choices.map((choice) => ({ choice, count: counts(valuePredicate(field, choice.uid)) }))
  const gone = field.type === 'boolean' ? [] : countedRemoved(field)
  const removed = gone.map((choice) => ({ choice, count: counts(valuePredicate(field, choice.uid)) }))
  const answered = [...made, ...removed].reduce((sum, { count }) => sum + count, 0)
  const scores: Distribution = made.map(({ choice, count }) => [choice.score, count])
  return {
    answered,
    choices: made.map((one) => ({ ...one, percentage: percentage(one.count, answered) })),
    ...removedSummaries(removed, answered),
    mean: mean(scores),
    median: median(scores),
    ...(field.type === 'number' && {
      promoters: npsBreakdown(made.map(({ choice, count }) => [choice.index, count])),
    }),
  }
}

const countChosen = ({ storedKey: key }: Field, uid: number, counts: Counts) =>
  counts({ kind: 'chosen', key, index: uid })

/** Returns the removed choices that have answers. */
function removedSummaries(
  found: readonly { choice: RemovedChoice; count: number }[],
  answered: number,
): Pick<Stats, 'removed'> {
  const removed = found.filter(({ count }) => count > 0)
  return removed.length === 0
    ? {}
    : { removed: removed.map((one) => ({ ...one, percentage: percentage(one.count, answered) })) }
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
      const count = rankCounts.reduce((sum, ofRank) => sum + ofRank, 0)
      const meanRank = mean(rankCounts.map((ofRank, at) => [at + 1, ofRank]))
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
