import { Problem } from '../../domain/problem.ts'
import {
  type AnswerClass,
  COLLECTOR,
  type CrossedQuestion,
  type CrossTable,
  type CrossTableColumn,
  canBeCrossed,
  shareOf,
  showCrossTable,
} from '../../domain/report/cross-table.ts'
import { type ChiSquare, columnLetter, type MeanSummary } from '../../domain/report/significance.ts'
import type { Field, Questionnaire } from '../../domain/structure/questionnaire.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { BASE_PARAMETER, formatFilter } from '../filter/list-query.ts'
import { alert, errorSentence } from '../forms/field.ts'
import { errorText } from '../i18n/error-texts.ts'
import { t } from '../i18n/t.ts'
import { formatNumber } from '../layout/format.ts'
import { csvFile, fileName, type TableFile } from './downloads.ts'
import { binText } from './histogram.ts'
import { type Localize, localizerFor } from './localize.ts'
import { countText, meanText, percentText } from './plot.ts'
import { isWeighted, type ReportRequest, reportPath, responseSearch } from './report-request.ts'

/** The path of the page, relative to the report. */
export const CROSS_TABLE_PATH = 'cross-table/'

/** What the URL of the page chooses. */
export interface CrossTableChoice {
  rows: string | null
  columns: string | null
  /** Whether cells show the percentages of their row instead of those of their column. */
  byRow: boolean
}

/** Reads the choice in the query of the page. */
export const readChoice = (query: URLSearchParams): CrossTableChoice => ({
  rows: query.get('view-rows'),
  columns: query.get('view-columns'),
  byRow: query.get('view-percent') === 'rows',
})

/** Renders the form and, if two questions are chosen, the table. */
export async function crossTableContent(
  report: ReportRequest,
  { questionnaire: q, weighting, collectors }: SurveySnapshot,
  choice: CrossTableChoice,
): Promise<{ content: Html; status: number }> {
  const localize = localizerFor(q, report.listQuery.language)
  const fields = fieldsIn(report, q)
  if (fields.length === 0)
    return {
      content: html`<section class="card"><p>This report has no questions with choices or numbers.</p></section>`,
      status: 200,
    }
  const hasCollectors = collectors.size > 1
  const weights = weightsField(report, weighting !== null)
  const form = formView(report, fields, choice, { localize, weights, hasCollectors })
  if (!choice.rows || !choice.columns) return { content: form, status: 200 }
  try {
    const table = await tableFor(report, choice)
    return { content: html`${form}${tableView(report, table, choice, localize)}`, status: 200 }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    return { content: html`${form}${alert(errorsText(error))}`, status: 422 }
  }
}

/** Returns the table as CSV, with a line for each cell. */
export async function crossTableFile(report: ReportRequest, choice: CrossTableChoice): Promise<TableFile> {
  const table = await tableFor(report, choice)
  const localize = localizerFor(table.questionnaire, report.listQuery.language)
  const { rowQuestion, columnQuestion, rows, columns } = table
  const head = ['row', 'column', 'letter', 'count', 'row_percentage', 'column_percentage', 'higher_than']
  const lines = rows.flatMap((row) =>
    row.cells.map((cell, index) => {
      const { count, lower, weighted } = cell
      const column = columns[index]!
      return [
        ...[classText(row.class, localize), classText(column.class, localize)],
        ...[columnLetter(index), count, shareOf(cell, row), shareOf(cell, column)],
        ...[lower.map(columnLetter).join(' '), row.n, column.n, table.n],
        ...[column.mean?.mean ?? '', column.mean?.deviation ?? ''],
        ...(table.weighted ? [weighted, column.weighted?.n, column.weighted?.effectiveN] : []),
      ]
    }),
  )
  const title = `${axisText(rowQuestion, localize)} ${axisText(columnQuestion, localize)}`
  return csvFile(
    [
      [
        ...head,
        'row_n',
        'column_n',
        'n',
        'column_mean',
        'column_standard_deviation',
        ...(table.weighted ? WEIGHTED : []),
      ],
      ...lines,
    ],
    fileName(title, 'csv'),
  )
}

const WEIGHTED = ['weighted_count', 'column_weighted_n', 'column_effective_n']

const tableFor = ({ context, survey, design, listQuery }: ReportRequest, { rows, columns }: CrossTableChoice) => {
  const names = { rows: rows ?? '', columns: columns ?? '' }
  return showCrossTable(context, survey.id, names, design, responseSearch(listQuery), {
    weighted: isWeighted({ listQuery }),
  })
}

/** Renders the field of a form that chooses weights. */
export const weightsField = (report: ReportRequest, hasWeights: boolean): Part =>
  hasWeights &&
  html`<div class="choices">
    <label class="check-label">
      <input type="checkbox" name="view-weighted" value="1"${isWeighted(report) && html` checked`}> Weighted
    </label>
  </div>`

/** Returns the text of an error, with the name of the control that it concerns. */
const errorsText = ({ errors }: Problem): string =>
  errors
    .map((error) =>
      errorSentence({ rows: t('Rows'), columns: t('Columns') }[error.field] ?? error.field, errorText(error)),
    )
    .join(' ')

const fieldsIn = ({ design: { questions } }: ReportRequest, q: Questionnaire): Field[] =>
  q.fields.filter((field) => canBeCrossed(field) && (!questions || questions.includes(field.question.id)))

const axisText = ({ field }: CrossedQuestion, localize: Localize): string =>
  field ? fieldText(field, localize) : t('Collector')

/** Returns the title of a question, or of a row of a grid. */
export function fieldText({ question, row }: Field, localize: Localize): string {
  const title = localize(question.title) || question.id
  return row ? `${title}: ${localize(row.label) || row.index + 1}` : title
}

function formView(
  report: ReportRequest,
  fields: readonly Field[],
  choice: CrossTableChoice,
  { localize, weights, hasCollectors }: { localize: Localize; weights: Part; hasCollectors: boolean },
): Html {
  const { language } = report.listQuery
  const collector = { value: COLLECTOR, label: t('Collector') }
  const questions = [
    ...fields.map((field) => ({ value: field.key, label: fieldText(field, localize) })),
    ...(hasCollectors ? [collector] : []),
  ]
  const menu = (name: string, label: string, options: typeof questions, selected: string | null) =>
    html`<div class="wide">
      <label for="${name}">${label}</label>
      <select class="box" id="${name}" name="view-${name}" required>
        ${options.map(
          ({ value, label }) =>
            html`<option value="${value}"${value === selected && html` selected`}>${label}</option>`,
        )}
      </select>
    </div>`
  const empty = { value: '', label: t('Choose a question') }
  return html`<form method="get" action="${report.basePath}${CROSS_TABLE_PATH}" class="form-row"
      aria-label="Cross-table">
    <input type="hidden" name="${BASE_PARAMETER}" value="${formatFilter(report.listQuery)}">
    ${language && html`<input type="hidden" name="view-language" value="${language}">`}
    ${menu('rows', t('Rows'), [empty, ...questions], choice.rows)}
    ${menu('columns', t('Columns'), [empty, ...questions], choice.columns)}
    ${menu(
      'percent',
      t('Percentages'),
      [
        { value: 'columns', label: t('Of each column') },
        { value: 'rows', label: t('Of each row') },
      ],
      choice.byRow ? 'rows' : 'columns',
    )}
    ${weights}
    <button class="primary">Show table</button>
  </form>`
}

function tableView(report: ReportRequest, table: CrossTable, choice: CrossTableChoice, localize: Localize): Html {
  const { rowQuestion, columnQuestion, rows, columns, n } = table
  const [rowTitle, columnTitle] = [rowQuestion, columnQuestion].map((one) => axisText(one, localize))
  if (n === 0) return html`<section class="card"><p>No response answers both questions.</p></section>`
  const swapped = { rows: choice.columns, columns: choice.rows }
  return html`<section class="card">
    <h2 id="table">${rowTitle} × ${columnTitle}</h2>
    <p class="soft">
      ${
        !rowQuestion.field || !columnQuestion.field
          ? t('Responses with an answer: {value}', { value: countText(n) })
          : n === 1
            ? t('1 response answers both questions.')
            : t('{value} responses answer both questions.', { value: countText(n) })
      }
    </p>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="table">
      <table class="cross-table">
        <thead>
          <tr><td></td><th scope="colgroup" colspan="${columns.length}">${columnTitle}</th><td></td></tr>
          <tr>
            <th scope="col">${rowTitle}</th>
            ${columns.map(
              (column, index) =>
                html`<th scope="col">
                  ${classText(column.class, localize)} <span class="letter">${columnLetter(index)}</span>
                </th>`,
            )}
            <th scope="col">Responses</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                <th scope="row">${classText(row.class, localize)}</th>
                ${row.cells.map((cell, index) => {
                  const { count, lower } = cell
                  const share = shareOf(cell, choice.byRow ? row : columns[index]!)
                  return html`<td>
                    ${percentText(share)}
                    ${lower.length > 0 && html` <strong class="letter">${lower.map(columnLetter).join(' ')}</strong>`}
                    <br>
                    <span class="soft">${countText(count)}</span>
                  </td>`
                })}
                <td>${countText(row.n)}</td>
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Responses</th>
            ${columns.map((column) => html`<td>${countText(column.n)}</td>`)}
            <td>${countText(n)}</td>
          </tr>
          ${
            table.weighted &&
            html`<tr>
              <th scope="row">Effective number</th>
              ${columns.map(({ weighted }) => html`<td>${meanText(weighted?.effectiveN ?? null)}</td>`)}
              <td>${meanText(table.weighted.effectiveN)}</td>
            </tr>`
          }
          ${table.mean && isScored(rowQuestion) && meanRows(columns, table.mean)}
        </tfoot>
      </table>
    </div>
    ${notesView(table)}
    <p class="downloads">
      <a href="${crossTablePath(report, 'numbers.csv', choice)}" download>Download CSV</a> <a
          href="${crossTablePath(report, '', { ...choice, ...swapped })}">Swap rows and columns</a>
    </p>
  </section>`
}

/** Returns the address of the page or of its file. */
const crossTablePath = (report: ReportRequest, file: string, { rows, columns, byRow }: CrossTableChoice): string => {
  const path = reportPath(report, CROSS_TABLE_PATH + file)
  const view = new URLSearchParams({ 'view-rows': rows ?? '', 'view-columns': columns ?? '' })
  if (byRow) view.set('view-percent', 'rows')
  return `${path}${path.includes('?') ? '&' : '?'}${view}`
}

/** Returns whether the mean of the rows is meaningful, as in a report: numbers, ratings and choices with scores. */
const isScored = ({ field }: CrossedQuestion): boolean =>
  field?.type === 'number' ||
  field?.choices.length === 0 ||
  (field?.type === 'single' && field.choices.some(({ index, score }) => score !== index + 1))

function meanRows(columns: readonly CrossTableColumn[], all: MeanSummary): Html {
  const means = [...columns.map(({ mean }) => mean!), all]
  const interval = (summary: MeanSummary) =>
    summary.interval &&
    t('{low} to {high}', { low: meanText(summary.interval[0]), high: meanText(summary.interval[1]) })
  return html`
    <tr><th scope="row">Mean</th>${means.map(({ mean }) => html`<td>${meanText(mean)}</td>`)}</tr>
    <tr>
      <th scope="row">95% confidence interval</th>
      ${means.map((summary) => html`<td>${interval(summary) ?? '–'}</td>`)}
    </tr>
    <tr>
      <th scope="row">Standard deviation</th>
      ${means.map(({ deviation }) => html`<td>${meanText(deviation)}</td>`)}
    </tr>`
}

function notesView({ rowQuestion, columnQuestion, chiSquare, weighted }: CrossTable): Html {
  const overlaps = rowQuestion.multiple || columnQuestion.multiple
  return html`
    ${chiSquare && chiSquareView(chiSquare)}
    ${
      weighted &&
      html`<p class="soft">
        Percentages, means and tests are weighted; numbers of responses are not. Tests and intervals use the effective
        number of responses (Kish).
      </p>`
    }
    ${
      overlaps &&
      html`<p class="soft">
        Respondents could select several choices. Percentages are shares of responses, so they can add up to more than
        100%. Chi-square is not computed.
      </p>`
    }
    <p class="soft">
      ${
        columnQuestion.multiple
          ? t('Columns are not compared, because a response can be in several columns.')
          : t(
              'A letter marks a share that is significantly higher than in the column with that letter (95%, two-sided z-test, Bonferroni correction in each row). Columns with few responses are not compared.',
            )
      }
    </p>`
}

function chiSquareView({ statistic, degrees, p, v, lowExpected }: ChiSquare): Part {
  const text = t('Chi-square {statistic}, degrees of freedom {degrees}, p {p}. Cramér’s V {v}.', {
    statistic: meanText(statistic),
    degrees: countText(degrees),
    p: p < 0.001 ? `< ${decimal(0.001)}` : `= ${decimal(p)}`,
    v: meanText(v),
  })
  return html`<p>${text}${
    lowExpected > 0.2 &&
    html` <span class="soft">More than 20% of the cells have an expected count below 5: the test is unreliable.</span>`
  }</p>`
}

const decimal = (value: number): string => formatNumber(value, { minimumFractionDigits: 3, maximumFractionDigits: 3 })

function classText(one: AnswerClass, localize: Localize): string {
  if ('choice' in one) return localize(one.choice.label) || String(one.choice.index)
  if ('collector' in one) return one.collector.name
  if ('removed' in one) return t('{label} (removed)', { label: localize(one.removed.label) })
  return binText(one.bin, one.integersOnly)
}
