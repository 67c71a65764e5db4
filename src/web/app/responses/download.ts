import { countMatching } from '../../../domain/response/list/browse.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { titleOf } from './answer.ts'
import { chipsView } from './chips.ts'
import { askedQuestions } from './columns.ts'
import { conditionsOf } from './conditions.ts'
import { subjectNamed } from './filter-fields.ts'
import { option } from './filter-rows.ts'
import { aboutResponses, type ResponsesRequest } from './frame.ts'
import { narrowing, searchOf } from './list-query.ts'

interface Choice {
  name: string
  label: string
  hint?: string
}

/** The flags of the export (specification, "Query parameters of the v3 CSV export"), in the words of people. */
const GROUPS: readonly { legend: string; choices: readonly Choice[] }[] = [
  {
    legend: 'Cells',
    choices: [
      { name: 'include_labels', label: 'Choice labels', hint: 'instead of positions' },
      { name: 'score_based', label: 'Choice scores', hint: 'instead of labels' },
      { name: 'strip_html', label: 'Remove HTML tags from answers' },
      { name: 'escape_newline', label: 'Write line breaks as \\n' },
      {
        name: 'formula_guard',
        label: 'Protect against spreadsheet formulas',
        hint: 'adds an apostrophe to cells that start a formula',
      },
    ],
  },
  {
    legend: 'Columns and rows',
    choices: [
      { name: 'show_titles', label: 'Question titles in the header row' },
      { name: 'include_id', label: 'Question IDs in the header row', hint: 'as {id} before the title' },
      { name: 'include_key', label: 'Response key column' },
      { name: 'include_url', label: 'Response address column', hint: '_url' },
      { name: 'include_response_link', label: 'Response link column', hint: '_response_link' },
      { name: 'inverted', label: 'One row per answer', hint: 'instead of one per response' },
    ],
  },
]

const FORMATS: readonly Choice[] = [
  { name: '', label: 'CSV (UTF-8)' },
  { name: 'bom', label: 'CSV for Excel (UTF-8 with byte order mark)' },
  { name: 'tab_separated', label: 'Tab-separated text for older Excel (UTF-16)' },
]

/** What the file is to be like. */
export async function showDownload(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { context, snapshot, asked, telling, top } = about
  const conditions = await conditionsOf(context, snapshot, asked)
  if (!conditions.filters) return { redirect: `${top}${searchOf(asked)}` }
  const matching = await countMatching(context, snapshot, conditions.filters)
  const chips = chipsView(`${top}download/`, asked, conditions, (name) => subjectNamed(snapshot, name, telling))
  const narrowed = narrowing(asked)
  const what = matching === 1 ? '1 response' : `${matching.toLocaleString('en')} responses`
  return request.render({
    title: 'Download responses',
    action: html`<a class="button plain small" href="${top}${searchOf(asked)}">Back to responses</a>`,
    content: html`<p class="soft">${what}${asked.filter !== undefined && html`, filter “${asked.filter}”`}</p>${chips}${optionsForm(about)}<p class="soft">API URL: <code class="address">${context.services.baseUrl}/api/v3/surveys/${about.survey.id}/csv/${narrowed && `?${narrowed}`}</code></p>`,
  })
}

function optionsForm({ top, asked, telling, snapshot }: ResponsesRequest): Html {
  const { languages } = telling.q
  const questions = askedQuestions(snapshot)
  return html`<form method="get" action="${top}csv/" class="card"><input type="hidden" name="base" value="${narrowing(asked)}">
<div class="sift"><div class="wide"><label for="format">Format</label><select class="box" id="format" name="format">${FORMATS.map(({ name, label }) => option(name, label, name === ''))}</select></div>${
    languages.length > 1 &&
    html`<div><label for="language">Language of titles and labels</label><select class="box" id="language" name="language">${languages.map(({ code, name }) => option(code, name, code === telling.language))}</select></div>`
  }</div>
${GROUPS.map(({ legend, choices }) => html`<fieldset class="boxes"><legend>${legend}</legend><ul>${choices.map(flagView)}</ul></fieldset>`)}
${
  questions.length > 0 &&
  html`<fieldset class="boxes"><legend>Only these questions</legend><p class="soft">Leave unselected to include all questions.</p><ul>${questions.map(
    (question) =>
      html`<li><label><input type="checkbox" name="include" value="${question.id}"> <span lang="${telling.language}">${titleOf(question, telling)}</span></label></li>`,
  )}</ul></fieldset>`
}
<div class="field"><label for="ids">Only these responses</label><p class="hint" id="ids-hint">Response numbers, separated by commas. Leave blank to include all responses.</p><input class="box" id="ids" name="ids" inputmode="numeric" aria-describedby="ids-hint" pattern="[0-9, ]*"></div>
<div class="actions"><button class="primary">Download</button></div></form>`
}

const flagView = ({ name, label, hint }: Choice): Html =>
  html`<li><label><input type="checkbox" name="${name}" value="1"> <span>${label}${hint && html` <span class="soft">${hint}</span>`}</span></label></li>`
