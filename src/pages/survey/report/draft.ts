import { type ChartKind, chartKinds, chartsFor } from '../../../domain/report/chart-kind.ts'
import type { ReportDesign } from '../../../domain/report/design.ts'
import type { Question, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type Faults, field } from '../../field.ts'
import { conditionText } from '../../report/filtering.ts'
import type { Voice } from '../../report/voice.ts'
import { one, type Pairs } from '../../taking/input.ts'

/** A report as its form holds it. */
export interface Draft extends ReportDesign {
  title: string
}

const CHART = 'chart '

const names: Readonly<Record<ChartKind, string>> = {
  bars: 'Bars',
  columns: 'Histogram',
  stacked: 'Stacked bars',
  gauge: 'Gauge',
  places: 'Mean places',
  means: 'Mean scores',
}

const isKind = (text: string | undefined): text is ChartKind => chartKinds.some((kind) => kind === text)

/** What a form says. The questions ticked count only where not all are wanted. */
export function draftIn(form: Pairs): Draft {
  const ticked = form.question ?? []
  const charts = Object.keys(form).flatMap((name): [string, ChartKind][] => {
    const kind = one(form, name)
    return name.startsWith(CHART) && isKind(kind) ? [[name.slice(CHART.length), kind]] : []
  })
  return {
    title: one(form, 'title') ?? '',
    questions: one(form, 'scope') === 'some' ? [ticked].flat() : null,
    charts: Object.fromEntries(charts),
    query: one(form, 'query') ?? '',
  }
}

/** The fields of a report: title, which responses, which questions, and how they are drawn. */
export function draftView(
  q: Questionnaire,
  { title, questions, charts, query }: Draft,
  { voice, faults }: Shown,
): Html {
  const asked = q.questions.filter(({ fields }) => fields.length > 0)
  return html`${field({ name: 'title', label: 'Title', value: title, required: true, ...(faults && { faults }) })}
${faults?.has('query') ? faultView(faults.get('query')) : queryView(q, query, voice)}
<fieldset class="choice"><legend>Questions</legend>${faultView(faults?.get('questions'))}
<label class="tick"><input type="radio" name="scope" value="all"${!questions && html` checked`}> All, also those asked later</label>
<label class="tick"><input type="radio" name="scope" value="some"${questions && html` checked`}> Only these</label>
<ul class="ticks">${asked.map((question, at) => questionRow(question, at, { voice, charts, ticked: questions?.includes(question.id) ?? true }))}</ul></fieldset>`
}

interface Shown {
  voice: Voice
  faults?: Faults | undefined
}

const faultView = (fault: string | undefined): Part => fault && html`<p class="fault">${fault}</p>`

function queryView(q: Questionnaire, query: string, voice: Voice): Html {
  if (query === '')
    return html`<p class="soft hint">It counts all responses. To count only some, filter “All answers” and choose “Keep as a report”.</p>`
  const words = query
    .split('&')
    .map((pair) => conditionText(q, pair, voice))
    .join('; ')
  return html`<p><label class="tick"><input type="checkbox" name="query" value="${query}" checked> Count only responses with ${words}</label></p>`
}

function questionRow(
  question: Question,
  at: number,
  { voice, charts, ticked }: { voice: Voice; charts: Draft['charts']; ticked: boolean },
): Html {
  const kinds = chartsFor(question)
  const title = voice(question.title) || question.id
  return html`<li><label class="tick"><input type="checkbox" name="question" value="${question.id}"${ticked && html` checked`}> ${title}</label>${
    kinds.length > 1 &&
    html`<label class="hidden" for="chart-${at}">Chart of ${title}</label><select class="box" id="chart-${at}" name="${CHART}${question.id}">${kinds.map(
      (kind) =>
        html`<option value="${kind}"${kind === (charts[question.id] ?? kinds[0]) && html` selected`}>${names[kind]}</option>`,
    )}</select>`
  }</li>`
}
