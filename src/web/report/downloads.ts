import { problems } from '../../domain/problem.ts'
import { asksNumbers } from '../../domain/report/histogram.ts'
import type { QuestionStats } from '../../domain/report/question-stats.ts'
import type { Services } from '../../domain/services.ts'
import { PictureError } from '../../lib/pictures.ts'
import type { PageResult } from '../page.ts'
import { draw } from './chart/draw.ts'
import { svgFile } from './chart/file.ts'
import { voiceFor } from './i18n.ts'
import { binsFile, daysFile, numbersFile } from './numbers.ts'
import { countText, type Plot } from './plot.ts'
import { wordsOf } from './plot-words.ts'
import { plotFor, titleOf } from './question.ts'
import { daysFor, type ReportRequest, resultsFor } from './report-request.ts'
import { spreadPlot, spreadsFor } from './spread.ts'

/** As wide as charts are in files. */
const WIDTH = 800

const CSV = 'text/csv; charset=utf-8'

/** Letters and digits of a title, for the name of a file. */
const fileName = (title: string, extension: string): string =>
  `${
    title
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'chart'
  }.${extension}`

/** A chart as a file in one of the forms that it can be kept in. */
async function chartAs(
  { context: { services } }: ReportRequest,
  form: string,
  plot: Plot,
  { title, note }: { title: string; note: string },
): Promise<PageResult> {
  const svg = svgFile(draw(plot, WIDTH), { title, note, alt: wordsOf(plot, title) })
  if (form === 'chart.png')
    return { file: await pictureOf(services, svg), type: 'image/png', name: fileName(title, 'png') }
  if (form !== 'chart.svg') throw problems.reportNotFound()
  return { file: svg, type: 'image/svg+xml; charset=utf-8', name: fileName(title, 'svg') }
}

/** @throws {Problem} `too_many_pictures`, `picture_too_slow`; what else goes wrong is ours to mend */
async function pictureOf({ pictures }: Services, svg: string): Promise<Buffer> {
  try {
    return await pictures.png(svg)
  } catch (error) {
    if (!(error instanceof PictureError)) throw error
    throw error.reason === 'queue_full' ? problems.tooManyPictures() : problems.pictureTooSlow()
  }
}

async function figuresIn(
  looking: ReportRequest,
  id: string,
): Promise<{ figures: QuestionStats; voice: ReturnType<typeof voiceFor> }> {
  const { q, questions } = await resultsFor(looking)
  const figures = questions.find(({ question }) => question.id === id)
  if (!figures) throw problems.questionNotFound()
  return { figures, voice: voiceFor(q, looking.language) }
}

/** A chart of a question, or its numbers. @throws {Problem} `question_not_found` */
export async function chartPart(looking: ReportRequest, id: string, form: string): Promise<PageResult> {
  const { figures, voice } = await figuresIn(looking, id)
  const title = titleOf(figures, voice)
  const plot = plotFor(figures, looking, voice) ?? (await numbersPlot(figures, looking))
  if (form === 'numbers.csv') {
    const isWritten = asksNumbers(figures.question) && plot?.kind === 'columns'
    const file = isWritten ? binsFile(plot.bars) : numbersFile([figures], voice)
    return { file, type: CSV, name: fileName(title, 'csv') }
  }
  if (!plot) throw problems.questionNotFound()
  return chartAs(looking, form, plot, { title, note: `${countText(figures.answered)} answers` })
}

/** The histogram of a question that asks for numbers. */
async function numbersPlot(
  { question: { id }, question }: QuestionStats,
  looking: ReportRequest,
): Promise<Plot | undefined> {
  const spread = asksNumbers(question) ? (await spreadsFor(looking, [id])).get(id) : undefined
  return spread && spreadPlot(spread, id, looking)
}

/** The chart of responses by day, or its numbers. */
export async function daysPart(looking: ReportRequest, form: string): Promise<PageResult> {
  const days = await daysFor(looking)
  const title = 'Responses by day'
  if (form === 'numbers.csv') return { file: daysFile(days), type: CSV, name: fileName(title, 'csv') }
  const total = days.reduce((sum, { count }) => sum + count, 0)
  return chartAs(looking, form, { kind: 'timeline', days }, { title, note: `${countText(total)} responses` })
}

/** The numbers of every question in one file. */
export async function numbersPart(looking: ReportRequest): Promise<PageResult> {
  const { q, questions } = await resultsFor(looking)
  return {
    file: numbersFile(questions, voiceFor(q, looking.language)),
    type: CSV,
    name: fileName(looking.title, 'csv'),
  }
}
