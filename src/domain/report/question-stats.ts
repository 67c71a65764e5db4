import { type Counts, countedRemoved, positionsIn, valuePredicate } from '../rollup/predicate.ts'
import { anyRowAnswered } from '../rollup/report-predicates.ts'
import type { Choice, Field, Question, RemovedChoice, Row } from '../structure/questionnaire.ts'
import { type Distribution, mean, median, type NpsBreakdown, percentage, promoterFigures } from './stats.ts'

/** How often a choice was made; `percentage` is of those who answered. */
export interface ChoiceFigures {
  choice: Choice
  count: number
  percentage: number
  /** Of a ranking: how often it stood at each place, and at which on average (the first is 1). */
  places?: readonly number[]
  meanPlace?: number | null
}

/** How often a choice was made that is no longer offered. */
export interface RemovedFigures {
  choice: RemovedChoice
  count: number
  percentage: number
}

/** What the answers under one response key amount to. */
export interface FieldStats {
  field: Field
  row?: Row
  answered: number
  choices?: readonly ChoiceFigures[]
  /** Choices that are no longer offered and were made. */
  removed?: readonly RemovedFigures[]
  /** Mean and median of the scores of the choices made. Only where one is chosen. */
  mean?: number | null
  median?: number | null
  promoters?: NpsBreakdown
}

export interface QuestionStats {
  question: Question
  /** Responses with an answer to it; of a grid, to any row. */
  answered: number
  fields: readonly FieldStats[]
}

/** Computes the statistics of a question from the counts of its predicates. */
export function questionStats(question: Question, counts: Counts): QuestionStats {
  const fields = question.fields.map((field) => fieldFigures(field, counts))
  const [grid] = anyRowAnswered(question)
  return { question, answered: grid ? counts(grid) : (fields[0]?.answered ?? 0), fields }
}

function fieldFigures(field: Field, counts: Counts): FieldStats {
  const base = { field, ...(field.row && { row: field.row }) }
  switch (field.type) {
    case 'single':
    case 'boolean':
    case 'number':
      return { ...base, ...oneChosen(field, counts) }
    case 'multi':
      return { ...base, ...manyChosen(field, counts) }
    case 'ranking':
      return { ...base, ...ranked(field, counts) }
    default:
      return { ...base, answered: answeredIn(field, counts) }
  }
}

type Figures = Omit<FieldStats, 'field' | 'row'>

const answeredIn = ({ storedKey: key }: Field, counts: Counts) => counts({ kind: 'answered', keys: [key] })

function oneChosen(field: Field, counts: Counts): Figures {
  const made = field.choices.map((choice) => ({ choice, count: counts(valuePredicate(field, choice.uid)) }))
  const gone = field.type === 'boolean' ? [] : countedRemoved(field)
  const removed = gone.map((choice) => ({ choice, count: counts(valuePredicate(field, choice.uid)) }))
  const answered = [...made, ...removed].reduce((sum, { count }) => sum + count, 0)
  const scores: Distribution = made.map(({ choice, count }) => [choice.score, count])
  return {
    answered,
    choices: made.map((one) => ({ ...one, percentage: percentage(one.count, answered) })),
    ...removedFigures(removed, answered),
    mean: mean(scores),
    median: median(scores),
    ...(field.type === 'number' && {
      promoters: promoterFigures(made.map(({ choice, count }) => [choice.index, count])),
    }),
  }
}

const chosen = ({ storedKey: key }: Field, uid: number, counts: Counts) => counts({ kind: 'chosen', key, index: uid })

/** Choices that are no longer offered, as far as somebody chose them. */
function removedFigures(
  found: readonly { choice: RemovedChoice; count: number }[],
  answered: number,
): Pick<Figures, 'removed'> {
  const removed = found.filter(({ count }) => count > 0)
  return removed.length === 0
    ? {}
    : { removed: removed.map((one) => ({ ...one, percentage: percentage(one.count, answered) })) }
}

function manyChosen(field: Field, counts: Counts): Figures {
  const answered = answeredIn(field, counts)
  return {
    answered,
    choices: field.choices.map((choice) => {
      const count = chosen(field, choice.uid, counts)
      return { choice, count, percentage: percentage(count, answered) }
    }),
    ...removedFigures(
      countedRemoved(field).map((choice) => ({ choice, count: chosen(field, choice.uid, counts) })),
      answered,
    ),
  }
}

function ranked(field: Field, counts: Counts): Figures {
  const answered = answeredIn(field, counts)
  return {
    answered,
    choices: field.choices.map((choice) => {
      const places = placesOf(field, choice.uid, counts)
      const count = places.reduce((sum, at) => sum + at, 0)
      const meanPlace = mean(places.map((at, place) => [place + 1, at]))
      return { choice, count, percentage: percentage(count, answered), places, meanPlace }
    }),
    ...removedFigures(
      countedRemoved(field).map((choice) => ({ choice, count: chosen(field, choice.uid, counts) })),
      answered,
    ),
  }
}

/** How often a choice stood at each place. */
const placesOf = (field: Field, uid: number, counts: Counts): number[] =>
  Array.from({ length: positionsIn(field) }, (_, place) =>
    counts({ kind: 'placed', key: field.storedKey, index: uid, place }),
  )
