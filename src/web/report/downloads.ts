import { problems } from '../../domain/problem.ts'
import { isNumeric, numericKeys } from '../../domain/report/histogram.ts'
import type { DayCount } from '../../domain/report/queries.ts'
import type { ChoiceSummary, FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import type { Services } from '../../domain/services.ts'
import { csvTable } from '../../lib/csv.ts'
import { SandboxError } from '../../lib/sandbox.ts'
import { t } from '../i18n/t.ts'
import { pluralize } from '../layout/format.ts'
import type { PageResult } from '../page.ts'
import { draw, slideFile, svgFile } from './chart/draw.ts'
import { removedLabel } from './chart-data.ts'
import { plotFor, questionTitle } from './content.ts'
import { histogramPlot, histogramsFor, meansPlot } from './histogram.ts'
import { type Localize, localizerFor } from './localize.ts'
import { type Bar, type Plot, plotText } from './plot.ts'
import { daysFor, type ReportRequest, resultsFor } from './report-request.ts'

const CHART_WIDTH_PX = 800

const CSV = 'text/csv; charset=utf-8'

/** Returns a file name that consists of the letters and digits of a title. */
export const fileName = (title: string, extension: string): string =>
  `${
    title
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'chart'
  }.${extension}`

/**
 * Returns a chart as an image.
 * @param format `chart.svg` or `chart.png`; `slide.svg` or `slide.png` in the format of a slide
 */
export async function chartImage(
  { context: { services } }: ReportRequest,
  format: string,
  plot: Plot,
  { title, note }: { title: string; note: string },
): Promise<PageResult> {
  const [, shape, extension] = /^(chart|slide)\.(svg|png)$/.exec(format) ?? []
  if (shape === undefined) throw problems.reportNotFound()
  const caption = { title, note, alt: plotText(plot, title) }
  const svg = shape === 'slide' ? slideFile(plot, caption) : svgFile(draw(plot, CHART_WIDTH_PX), caption)
  if (extension === 'png')
    return { file: await renderPng(services, svg), type: 'image/png', name: fileName(title, 'png') }
  return { file: svg, type: 'image/svg+xml; charset=utf-8', name: fileName(title, 'svg') }
}

/**
 * Renders an SVG file as PNG.
 * @throws {Problem} `too_many_pictures`, `render_timeout`
 */
export async function renderPng({ pictures }: Services, svg: string): Promise<Buffer> {
  try {
    return await pictures.png(svg)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw error.reason === 'queue_full' ? problems.tooManyPictures() : problems.renderTimeout()
  }
}

/** @throws {Problem} `question_not_found` */
async function statsOf(
  report: ReportRequest,
  id: string,
): Promise<{ stats: QuestionStats; localize: ReturnType<typeof localizerFor> }> {
  const { questionnaire: q, questions } = await resultsFor(report)
  const stats = questions.find(({ question }) => question.id === id)
  if (!stats) throw problems.questionNotFound()
  return { stats, localize: localizerFor(q, report.listQuery.language) }
}

/**
 * Returns a file with the chart of a question or with the data of the chart.
 * @throws {Problem} `question_not_found`
 */
export async function chartFile(report: ReportRequest, id: string, format: string): Promise<PageResult> {
  const { stats, localize } = await statsOf(report, id)
  const title = questionTitle(stats, localize)
  const plot = plotFor(stats, report, localize) ?? (await histogramPlotOf(stats, report, localize))
  if (format === 'numbers.csv') {
    const isHistogram = isNumeric(stats.question) && plot?.kind === 'columns'
    const file = isHistogram ? histogramCsv(plot.bars) : statsCsv([stats], localize)
    return { file, type: CSV, name: fileName(title, 'csv') }
  }
  if (!plot) throw problems.questionNotFound()
  return chartImage(report, format, plot, { title, note: pluralize(stats.answered, 'answer') })
}

/** Returns the chart data of the histogram of a numeric question; undefined if there is no histogram. */
async function histogramPlotOf(
  { question: { id }, question }: QuestionStats,
  report: ReportRequest,
  localize: Localize,
): Promise<Plot | undefined> {
  if (!isNumeric(question) || report.threshold !== undefined) return undefined
  const histograms = await histogramsFor(report, numericKeys(question))
  if (question.rows.length > 0) return meansPlot(question, histograms, localize)
  const histogram = histograms.get(id)
  return histogram && histogramPlot(histogram, id, report)
}

/** Returns a file with the chart of responses by day or with its data. */
export async function daysFile(report: ReportRequest, format: string): Promise<PageResult> {
  const { days, timeZone } = await daysFor(report)
  const title = t('Responses by day')
  if (format === 'numbers.csv') return { file: daysCsv(days), type: CSV, name: fileName(title, 'csv') }
  const total = days.reduce((sum, { count }) => sum + count, 0)
  return chartImage(report, format, { kind: 'timeline', days, timeZone }, { title, note: pluralize(total, 'response') })
}

/** Returns the data of all questions as one CSV file. */
export async function dataFile(report: ReportRequest): Promise<PageResult> {
  const { questionnaire: q, questions } = await resultsFor(report)
  return {
    file: statsCsv(questions, localizerFor(q, report.listQuery.language)),
    type: CSV,
    name: fileName(report.title, 'csv'),
  }
}

type Cell = string | number | null | undefined

/** A file that a page returns. */
export type TableFile = Extract<PageResult, { file: unknown }>

/** Returns a table as a CSV file. */
export const csvFile = (rows: readonly (readonly Cell[])[], name: string): TableFile => ({
  file: file(rows),
  type: CSV,
  name,
})

/** Returns a CSV file whose first row is its header. */
function file([header = [], ...rows]: readonly (readonly Cell[])[]): string {
  const table = csvTable(header.map(String), { formulaGuard: true, bom: true })
  return table.header + table.rows(rows)
}

/**
 * Returns the statistics of questions as CSV. Each response key (the key of an answer, such as `q1` or `grid_0`) has
 * one line with the number of answers, mean, median and net promoter score, followed by a line for each choice.
 */
const statsCsv = (questions: readonly QuestionStats[], localize: Localize): string =>
  file([
    ['id', 'question', 'row', 'answer', 'count', 'percentage', 'mean', 'median', 'nps'],
    ...questions.flatMap((stats) => stats.fields.flatMap((field) => fieldRows(stats, field, localize))),
  ])

function fieldRows({ question }: QuestionStats, stats: FieldStats, localize: Localize): Cell[][] {
  const { field, row, answered, choices = [], removed = [], mean, median, promoters, coding } = stats
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
    ...(coding?.categories ?? []).map((one) => fill([...names, one.category.name, one.count, one.percentage])),
  ]
}

const COLUMNS = 9
const fill = (row: Cell[]): Cell[] => [...row, ...Array<Cell>(COLUMNS - row.length).fill('')]

/** Returns the number of responses by day as CSV. */
const daysCsv = (days: readonly DayCount[]): string =>
  file([['day', 'count'], ...days.map(({ day, count }) => [day, count])])

/** Returns the bins of a histogram as CSV. */
const histogramCsv = (bars: readonly Bar[]): string =>
  file([['numbers', 'count', 'percentage'], ...bars.map(({ label, count, percentage }) => [label, count, percentage])])
