import { listCategories } from '../../../domain/response/coding/categories.ts'
import { countMatching } from '../../../domain/response/list/browse.ts'
import { type Html, html } from '../../../lib/html.ts'
import { filterChips, filterName } from '../../filter/chips.ts'
import { titleOf } from '../../filter/fields.ts'
import { option } from '../../filter/form.ts'
import { formatFilter, formatListQuery, resolveConditions } from '../../filter/list-query.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { answerableQuestions } from './columns.ts'
import { type ResponsesRequest, readResponsesRequest } from './frame.ts'

interface Option {
  name: string
  label: string
  hint?: string
}

/** The options of the export that are on or off (docs/specification.md 7.10). */
const FLAGS: () => readonly { legend: string; options: readonly Option[] }[] = perLanguage(() => [
  {
    legend: t('Cells'),
    options: [
      { name: 'include_labels', label: t('Choice labels'), hint: t('instead of positions') },
      { name: 'include_codes', label: t('Choice codes'), hint: t('or positions from 1, instead of labels') },
      { name: 'score_based', label: t('Choice scores'), hint: t('instead of positions or labels') },
      { name: 'strip_html', label: t('Remove HTML tags from answers') },
      { name: 'escape_newline', label: t('Write line breaks as \\n') },
      {
        name: 'formula_guard',
        label: t('Prevent spreadsheet programs from running cells as formulas'),
        hint: t('adds an apostrophe to cells that start a formula'),
      },
    ],
  },
  {
    legend: t('Columns and rows'),
    options: [
      { name: 'show_titles', label: t('Question titles in the header row') },
      {
        name: 'include_id',
        label: t('Question IDs as {id} in the header row'),
        hint: t('before the titles, if you include them'),
      },
      { name: 'include_key', label: t('Column with the key of the response') },
      { name: 'include_url', label: t('Response link column'), hint: t('named _url') },
      {
        name: 'include_response_link',
        label: t('Second response link column'),
        hint: t('the same link, named _response_link'),
      },
      { name: 'inverted', label: t('One row per answer'), hint: t('instead of one per response') },
    ],
  },
])

const PURPOSES: () => readonly Option[] = perLanguage(() => [
  {
    name: 'workbook',
    label: t('Excel workbook (.xlsx)'),
    hint: t('With question titles and choice labels, for Excel, LibreOffice, Numbers and Google Sheets.'),
  },
  {
    name: 'sav',
    label: t('SPSS and R (.sav)'),
    hint: t('With labels of questions and choices, for SPSS, PSPP, R, Python and Stata.'),
  },
  {
    name: 'dta',
    label: t('Stata (.dta)'),
    hint: t('With labels of questions and choices, for Stata, R and Python.'),
  },
  {
    name: 'parquet',
    label: t('Parquet (.parquet)'),
    hint: t('With typed columns and a codebook, for Python, R, DuckDB and data warehouses.'),
  },
  {
    name: 'data',
    label: t('CSV for statistics programs'),
    hint: t('With short names, codes of choices, and 0 and 1 for ticks, for R, SPSS, Stata and Python.'),
  },
  {
    name: 'jsonl',
    label: t('JSON Lines (.jsonl)'),
    hint: t('One response a line, as the API returns it with choice labels, for programs.'),
  },
  { name: 'custom', label: t('Custom'), hint: t('Choose the file format, the columns and the content of the cells.') },
])

const FORMATS: () => readonly Option[] = perLanguage(() => [
  { name: '', label: 'CSV (UTF-8)' },
  { name: 'xlsx', label: t('Excel workbook (.xlsx)') },
  { name: 'bom', label: t('CSV for Excel (UTF-8 with byte order mark)') },
  { name: 'tab_separated', label: t('Tab-separated text for older Excel (UTF-16)') },
])

/** Shows the form for the download of the filtered responses. */
export async function showDownload(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { context, snapshot, listQuery, listPath } = page
  const list = listPath + formatListQuery(listQuery)
  const conditions = await resolveConditions(context, snapshot, listQuery)
  if (!conditions.filters) return { redirect: list }
  const matching = await countMatching(context, snapshot, conditions.filters)
  const chips = filterChips({ ...page, listPath: `${listPath}download/` }, conditions)
  const filter = formatFilter(listQuery)
  const categories = await listCategories(context, page.survey.id)
  return request.render({
    title: t('Download responses'),
    beforeHeading: backLink(list, t('All responses')),
    content: html`
      <p class="soft">
        ${pluralize(matching, 'response')}
        ${listQuery.filter !== undefined && html`, filter “${filterName(listQuery.filter)}”`}
      </p>
      ${chips}
      ${optionsForm(page, categories.length > 0)}
      <p class="soft">
        API
        URL: <code class="address">
          ${context.services.baseUrl}/api/v3/surveys/${page.survey.id}/csv/${filter && `?${filter}`}
        </code>
      </p>`,
  })
}

function optionsForm({ listPath, listQuery, textContext, snapshot }: ResponsesRequest, hasCategories: boolean): Html {
  const { languages } = textContext.q
  const questions = answerableQuestions(snapshot)
  return html`<form method="get" action="${listPath}export/" class="card export">
    <input type="hidden" name="base" value="${formatFilter(listQuery)}">
    <fieldset class="boxes"><legend>File</legend>${PURPOSES().map(purposeView)}</fieldset>
    <p class="field"><a href="${listPath}codebook/">Codebook, and files for SPSS, Stata and R</a></p>
    <div class="custom">
      <div class="field">
        <label for="format">Format</label>
        <select class="box" id="format" name="format">
          ${FORMATS().map(({ name, label }) => option(name, label, name === ''))}
        </select>
      </div>
      ${FLAGS().map(
        ({ legend, options }) =>
          html`<fieldset class="boxes"><legend>${legend}</legend><ul>${options.map(flagView)}</ul></fieldset>`,
      )}
    </div>
    ${
      languages.length > 1 &&
      html`<div class="field">
        <label for="language">Language of titles and labels</label>
        <select class="box" id="language" name="language">
          ${languages.map(({ code, name }) => option(code, name, code === textContext.language))}
        </select>
      </div>`
    }
    ${
      questions.length > 0 &&
      html`<fieldset class="boxes">
        <legend>Only these questions</legend>
        <p class="soft">All questions are included, unless you select some.</p>
        <ul>
          ${questions.map(
            (question) =>
              html`<li>
                <label>
                  <input type="checkbox" name="include" value="${question.id}"> <span lang="${textContext.language}">
                    ${titleOf(question, textContext)}
                  </span>
                </label>
              </li>`,
          )}
        </ul>
      </fieldset>`
    }
    ${
      hasCategories &&
      html`<fieldset class="boxes">
        <legend>Coding</legend>
        <ul>
          ${flagView({
            name: 'include_categories',
            label: t('A column for each category of a text answer'),
            hint: t('1 if the answer is in the category, else 0'),
          })}
        </ul>
      </fieldset>`
    }
    <div class="field">
      <label for="numbers">Only these responses</label>
      <p class="hint" id="numbers-hint">
        Response numbers, separated by commas. Leave blank to include all responses. If a filter applies, only matching
        responses are included.
      </p>
      <input class="box" id="numbers" name="numbers" inputmode="numeric" aria-describedby="numbers-hint"
          pattern="[0-9, ]*">
    </div>
    <div class="actions"><button class="primary">Download</button></div>
  </form>`
}

const flagView = ({ name, label, hint }: Option): Html =>
  html`<li>
    <label>
      <input type="checkbox" name="${name}" value="1"> <span>
        ${label}
        ${hint && html` <span class="soft">${hint}</span>`}
      </span>
    </label>
  </li>`

const purposeView = ({ name, label, hint }: Option, index: number): Html =>
  html`<label class="option">
    <input type="radio" name="purpose"
        value="${name}"${name === 'custom' && html` id="export-custom"`}${index === 0 && html` checked`}> <span>
      <strong>${label}</strong> <span class="hint">${hint}</span>
    </span>
  </label>`
