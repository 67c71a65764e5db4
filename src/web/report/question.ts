import { chartsFor } from '../../domain/report/chart-kind.ts'
import { asksNumbers } from '../../domain/report/histogram.ts'
import type { Results } from '../../domain/report/queries.ts'
import type { FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { plotOf } from './chart-data.ts'
import { figure } from './figure.ts'
import type { Voice } from './i18n.ts'
import { countText, meanText, type Plot } from './plot.ts'
import { downloadsOf, narrowing, type ReportRequest } from './report-request.ts'
import { type Spreads, spreadPart } from './spread.ts'
import { latestView } from './text-answers.ts'

/** The chart of a question in this report; nothing where answers are written. */
export function plotFor(figures: QuestionStats, { design, ...looking }: ReportRequest, voice: Voice): Plot | undefined {
  const { question } = figures
  const fitting = chartsFor(question)
  const wanted = design.charts[question.id]
  const kind = wanted && fitting.includes(wanted) ? wanted : fitting[0]
  return plotOf(figures, kind, voice, narrowing({ design, ...looking }))
}

/** The name of a question: its title, or what it is stored under. */
export const titleOf = ({ question }: Pick<QuestionStats, 'question'>, voice: Voice): string =>
  voice(question.title) || question.id

/** One question: how many answered, its chart or its texts, means, what was written beside a choice. */
export function questionView(
  figures: QuestionStats,
  at: number,
  looking: ReportRequest,
  { voice, latest, spreads }: Drawn,
): Html {
  const { question, answered, fields } = figures
  const title = titleOf(figures, voice)
  const plot = answered > 0 ? plotFor(figures, looking, voice) : undefined
  return html`<section class="card question" aria-labelledby="question-${at}"><h2 id="question-${at}" lang="${voice.language}">${title}</h2>
<p class="soft">${answeredText(answered)}${meansText(fields)}</p>
${plot && figure(plot, title, downloadsOf(looking, question.id))}${answered > 0 && asksNumbers(question) && spreadPart(looking, question.id, title, spreads)}
${fields.map((field) => writtenPart(field, title, looking, { voice, latest, spreads }))}</section>`
}

/** What the parts of a report are shown with. */
export interface Drawn {
  voice: Voice
  latest: Results['latest']
  /** Absent: they are to be counted yet. */
  spreads: Spreads | undefined
}

const answeredText = (answered: number) =>
  answered === 0 ? 'No answers' : answered === 1 ? '1 answer' : `${countText(answered)} answers`

/** Only where one of several is chosen; of a grid each row has its own. */
function meansText(fields: readonly FieldStats[]): string {
  const [first] = fields
  if (!first || first.row || first.mean === undefined || first.mean === null || !isScored(first)) return ''
  return ` · mean ${meanText(first.mean)}, median ${meanText(first.median ?? null)}`
}

/** Whether a mean says something: where nobody gave scores, the order of the choices may mean nothing. */
const isScored = ({ field: { type, choices } }: FieldStats): boolean =>
  type === 'number' || (type === 'single' && choices.some(({ index, score }) => score !== index + 1))

function writtenPart(
  { field, row, answered, choices }: FieldStats,
  title: string,
  looking: ReportRequest,
  { voice, latest }: Drawn,
): Part {
  if (choices || answered === 0) return null
  const name = row ? voice(row.label) : field.type === 'other' ? 'Other answers' : undefined
  const heading = name && html`<h3>${name}</h3>`
  return html`${heading}${latestView(field.key, { answered, latest: latest.get(field.storedKey) ?? [], named: name ? `${title}: ${name}` : title }, looking)}`
}
