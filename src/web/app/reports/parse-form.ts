import { type ChartKind, chartKinds, chartsFor } from '../../../domain/report/chart-kind.ts'
import type { ReportDesign } from '../../../domain/report/design.ts'
import { WITH_INCOMPLETE } from '../../../domain/report/show.ts'
import type { Question, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { conditionText } from '../../report/filtering.ts'
import type { Voice } from '../../report/i18n.ts'

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
  places: 'Mean ranks',
  means: 'Mean scores',
}

const isKind = (text: string | undefined): text is ChartKind => chartKinds.some((kind) => kind === text)

/** What a form says. The questions ticked count only where not all are wanted. */
export function draftIn(form: FormFields): Draft {
  const ticked = form.question ?? []
  const charts = Object.keys(form).flatMap((name): [string, ChartKind][] => {
    const kind = formValue(form, name)
    return name.startsWith(CHART) && isKind(kind) ? [[name.slice(CHART.length), kind]] : []
  })
  const query = formValue(form, 'query') ?? ''
  const withIncomplete = formValue(form, 'incomplete') !== undefined && !namesState(query)
  return {
    title: formValue(form, 'title') ?? '',
    questions: formValue(form, 'scope') === 'some' ? [ticked].flat() : null,
    charts: Object.fromEntries(charts),
    query: withIncomplete ? [query, WITH_INCOMPLETE].filter(Boolean).join('&') : query,
    shareTextAnswers: formValue(form, 'share_text_answers') !== undefined,
  }
}

/** Whether a query has a filter on the state of responses, which says itself whether incomplete ones count. */
const namesState = (query: string): boolean => /(?:^|&)_completed/.test(query)

/** The fields of a report: title, which responses, which questions, and how they are drawn. */
export function draftView(
  q: Questionnaire,
  { title, questions, charts, query, shareTextAnswers }: Draft,
  { voice, errors }: Shown,
): Html {
  const asked = q.questions.filter(({ fields }) => fields.length > 0)
  return html`${field({ name: 'title', label: 'Title', value: title, required: true, ...(errors && { errors }) })}
${errors?.has('query') ? faultView(errors.get('query')) : queryView(q, query, voice)}
<fieldset class="choice"><legend>Questions</legend>${faultView(errors?.get('questions'))}
<label class="tick"><input type="radio" name="scope" value="all"${!questions && html` checked`}> All questions, including new ones</label>
<label class="tick"><input type="radio" name="scope" value="some"${questions && html` checked`}> Only these questions</label>
<ul class="ticks">${asked.map((question, at) => questionRow(question, at, { voice, charts, ticked: questions?.includes(question.id) ?? true }))}</ul></fieldset>
<p><label class="tick"><input type="checkbox" name="share_text_answers"${shareTextAnswers && html` checked`} aria-describedby="share-text-hint"> Show text answers when this report is shared</label></p>
<p class="soft hint" id="share-text-hint">Text answers can identify people, for example by a name or an email address. Anyone with the link and the password can read them.</p>`
}

interface Shown {
  voice: Voice
  errors?: FieldErrorTexts | undefined
}

const faultView = (fieldError: string | undefined): Part => fieldError && html`<p class="fault">${fieldError}</p>`

function queryView(q: Questionnaire, query: string, voice: Voice): Html {
  const pairs = query.split('&').filter((pair) => pair !== '' && pair !== WITH_INCOMPLETE)
  const words = pairs.map((pair) => conditionText(q, pair, voice)).join('; ')
  const filter =
    pairs.length === 0
      ? html`<p class="soft hint">To count only some responses, filter “All answers”, then select “Save as report”.</p>`
      : html`<p><label class="tick"><input type="checkbox" name="query" value="${pairs.join('&')}" checked> Count only responses where ${words}</label></p>`
  if (namesState(pairs.join('&'))) return filter
  return html`${filter}
<p><label class="tick"><input type="checkbox" name="incomplete"${query.includes(WITH_INCOMPLETE) && html` checked`}> Include incomplete responses</label></p>`
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
    html`<label class="hidden" for="chart-${at}">Chart for ${title}</label><select class="box" id="chart-${at}" name="${CHART}${question.id}">${kinds.map(
      (kind) =>
        html`<option value="${kind}"${kind === (charts[question.id] ?? kinds[0]) && html` selected`}>${names[kind]}</option>`,
    )}</select>`
  }</li>`
}
