import type { Choice, Field, Question, Row } from '../structure/questionnaire.ts'
import { type Counts, type Slot, slotsOf } from './slot.ts'
import { type Distribution, mean, median, type PromoterFigures, percentage, promoterFigures } from './tally.ts'

/** How often a choice was made; `percentage` is of those who answered. */
export interface ChoiceFigures {
  choice: Choice
  count: number
  percentage: number
  /** Of a ranking: how often it stood at each place, and at which on average (the first is 1). */
  places?: readonly number[]
  meanPlace?: number | null
}

/** What the answers under one response key amount to. */
export interface FieldFigures {
  field: Field
  row?: Row
  answered: number
  choices?: readonly ChoiceFigures[]
  /** Mean and median of the scores of the choices made. Only where one is chosen. */
  mean?: number | null
  median?: number | null
  promoters?: PromoterFigures
}

export interface QuestionFigures {
  question: Question
  /** Responses with an answer to it; of a grid, to any row. */
  answered: number
  fields: readonly FieldFigures[]
}

const keysOf = ({ fields }: Question) => fields.filter(({ type }) => type !== 'other').map(({ key }) => key)

/** All that has to be counted to report on questions. */
export const slotsFor = (questions: readonly Question[]): Slot[] =>
  questions.flatMap((question) => [
    { kind: 'answered', keys: keysOf(question) } as const,
    ...question.fields.flatMap(slotsOf),
  ])

export const questionFigures = (question: Question, counts: Counts): QuestionFigures => ({
  question,
  answered: held(counts, { kind: 'answered', keys: keysOf(question) }),
  fields: question.fields.map((field) => fieldFigures(field, counts)),
})

const held = (counts: Counts, slot: Slot): number => counts(slot).get('') ?? 0

function fieldFigures(field: Field, counts: Counts): FieldFigures {
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
      return { ...base, answered: held(counts, { kind: 'answered', keys: [field.key] }) }
  }
}

type Figures = Omit<FieldFigures, 'field' | 'row'>

/** The first choice of a yes-no question is stored as true, the second as false. */
const storedAs = ({ type }: Field, { index }: Choice) => (type === 'boolean' ? String(index === 0) : String(index))

function oneChosen(field: Field, counts: Counts): Figures {
  const values = counts({ kind: 'value', key: field.key })
  const made = field.choices.map((choice) => ({ choice, count: values.get(storedAs(field, choice)) ?? 0 }))
  const answered = made.reduce((sum, { count }) => sum + count, 0)
  const scores: Distribution = made.map(({ choice, count }) => [choice.score, count])
  return {
    answered,
    choices: made.map((one) => ({ ...one, percentage: percentage(one.count, answered) })),
    mean: mean(scores),
    median: median(scores),
    ...(field.type === 'number' && {
      promoters: promoterFigures(made.map(({ choice, count }) => [choice.index, count])),
    }),
  }
}

function manyChosen({ key, choices }: Field, counts: Counts): Figures {
  const answered = held(counts, { kind: 'answered', keys: [key] })
  return {
    answered,
    choices: choices.map((choice) => {
      const count = held(counts, { kind: 'chosen', key, index: choice.index })
      return { choice, count, percentage: percentage(count, answered) }
    }),
  }
}

function ranked({ key, choices }: Field, counts: Counts): Figures {
  const answered = held(counts, { kind: 'answered', keys: [key] })
  const byPlace = choices.map((_, place) => counts({ kind: 'place', key, place }))
  return {
    answered,
    choices: choices.map((choice) => {
      const places = byPlace.map((values) => values.get(String(choice.index)) ?? 0)
      const count = places.reduce((sum, at) => sum + at, 0)
      const meanPlace = mean(places.map((at, place) => [place + 1, at]))
      return { choice, count, percentage: percentage(count, answered), places, meanPlace }
    }),
  }
}
