import type { Day } from '../../domain/report/days.ts'
import type { ChoiceFigures, FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import { csvTable } from '../../lib/csv-table.ts'
import { removedLabel } from './chart-data.ts'
import type { Voice } from './i18n.ts'
import type { Bar } from './plot.ts'

type Cell = string | number | null | undefined

/** Returns a CSV file whose first row is its header. */
function file([header = [], ...rows]: readonly (readonly Cell[])[]): string {
  const table = csvTable(header.map(String), { formulaGuard: true, bom: true })
  return table.header + table.rows(rows)
}

/**
 * The figures of questions, one line an answer that could be chosen; a line without an answer holds what is told of the
 * whole: how many answered, mean, median, net promoter score.
 */
export const numbersFile = (questions: readonly QuestionStats[], voice: Voice): string =>
  file([
    ['id', 'question', 'row', 'answer', 'count', 'percentage', 'mean', 'median', 'nps'],
    ...questions.flatMap((figures) => figures.fields.flatMap((field) => fieldRows(figures, field, voice))),
  ])

function fieldRows({ question }: QuestionStats, figures: FieldStats, voice: Voice): Cell[][] {
  const { field, row, answered, choices = [], removed = [], mean, median, promoters } = figures
  const names = [field.key, voice(question.title), row ? voice(row.label) : '']
  const choiceRow = ({ choice, count, percentage, meanPlace }: ChoiceFigures): Cell[] => [
    ...names,
    voice(choice.label) || String(choice.index),
    count,
    percentage,
    meanPlace,
  ]
  return [
    [...names, '', answered, '', mean, median, promoters?.score],
    ...choices.map((one) => fill(choiceRow(one))),
    ...removed.map((one) => fill([...names, removedLabel(one, voice), one.count, one.percentage])),
  ]
}

const WIDTH = 9
const fill = (row: Cell[]): Cell[] => [...row, ...Array<Cell>(WIDTH - row.length).fill('')]

/** Responses by day. */
export const daysFile = (days: readonly Day[]): string =>
  file([['day', 'count'], ...days.map(({ day, count }) => [day, count])])

/** A histogram of numbers that were written. */
export const binsFile = (bars: readonly Bar[]): string =>
  file([['numbers', 'count', 'percentage'], ...bars.map(({ label, count, percentage }) => [label, count, percentage])])
