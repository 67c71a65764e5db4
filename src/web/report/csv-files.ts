import type { DayCount } from '../../domain/report/days.ts'
import type { ChoiceSummary, FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import { csvTable } from '../../lib/csv.ts'
import { removedLabel } from './chart-data.ts'
import type { Localize } from './localize.ts'
import type { Bar } from './plot.ts'

type Cell = string | number | null | undefined

/** Returns a CSV file whose first row is its header. */
function file([header = [], ...rows]: readonly (readonly Cell[])[]): string {
  const table = csvTable(header.map(String), { formulaGuard: true, bom: true })
  return table.header + table.rows(rows)
}

/**
 * Returns the statistics of questions as CSV. Each response key (the key of an answer, such as `q1` or `grid_0`) has
 * one line with the number of answers, mean, median and net promoter score, followed by a line for each choice.
 */
export const statsCsv = (questions: readonly QuestionStats[], localize: Localize): string =>
  file([
    ['id', 'question', 'row', 'answer', 'count', 'percentage', 'mean', 'median', 'nps'],
    ...questions.flatMap((stats) => stats.fields.flatMap((field) => fieldRows(stats, field, localize))),
  ])

function fieldRows({ question }: QuestionStats, stats: FieldStats, localize: Localize): Cell[][] {
  const { field, row, answered, choices = [], removed = [], mean, median, promoters } = stats
  const names = [field.key, localize(question.title), row ? localize(row.label) : '']
  const choiceRow = ({ choice, count, percentage, meanRank }: ChoiceSummary): Cell[] => [
    ...names,
    localize(choice.label) || String(choice.index),
    count,
    percentage,
    meanRank,
  ]
  return [
    [...names, '', answered, '', mean, median, promoters?.score],
    ...choices.map((one) => fill(choiceRow(one))),
    ...removed.map((one) => fill([...names, removedLabel(one, localize), one.count, one.percentage])),
  ]
}

const COLUMNS = 9
const fill = (row: Cell[]): Cell[] => [...row, ...Array<Cell>(COLUMNS - row.length).fill('')]

/** Returns the number of responses by day as CSV. */
export const daysCsv = (days: readonly DayCount[]): string =>
  file([['day', 'count'], ...days.map(({ day, count }) => [day, count])])

/** Returns the bins of a histogram as CSV. */
export const histogramCsv = (bars: readonly Bar[]): string =>
  file([['numbers', 'count', 'percentage'], ...bars.map(({ label, count, percentage }) => [label, count, percentage])])
