import { Readable } from 'node:stream'
import { isTimeZone } from '../../../domain/account/commands.ts'
import type { Context } from '../../../domain/context.ts'
import { openFile } from '../../../domain/file/queries.ts'
import { problems } from '../../../domain/problem.ts'
import {
  DEFAULT_EXPORT_OPTIONS,
  type ExportOptions,
  exportFormats,
  type MetaWords,
} from '../../../domain/response/export/columns.ts'
import { exportResponses } from '../../../domain/response/export/export.ts'
import {
  codebookFormats,
  findVariables,
  readingCodebook,
  writeCodebook,
} from '../../../domain/response/export/statistics/codebook.ts'
import type { ValueLabel, Variable } from '../../../domain/response/export/statistics/variables.ts'
import { type ReadingLayout, toWorkbook, workbookName } from '../../../domain/response/export/workbook.ts'
import { metaFieldByKey, metaLabel, STATE_LABELS, STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import { type Html, html } from '../../../lib/html.ts'
import { firstByte, selectPart } from '../../../lib/http.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { setContentSecurityPolicy } from '../../csp.ts'
import { PAGE_PARAMETERS, parseListQuery } from '../../filter/list-query.ts'
import { pageLanguage, pageLocale } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { readResponsesRequest } from './frame.ts'

/**
 * Reads the download form. Any purpose other than `custom` determines the file format, the content of the cells and the
 * columns.
 * @throws {Problem} `invalid_request` for an invalid response number
 */
function readOptions(query: URLSearchParams): ExportOptions & { isWorkbook: boolean } {
  const purpose = query.get('purpose') ?? 'custom'
  const include = query.getAll('include').filter(Boolean)
  const selection = {
    language: query.get('language') || undefined,
    include: include.length > 0 ? include : undefined,
    ids: undefined,
    numbers: readNumbers(query.get('numbers') ?? ''),
    withCategories: query.get('include_categories') === '1',
  }
  if (purpose !== 'custom') {
    const isWorkbook = purpose === 'workbook'
    return {
      ...DEFAULT_EXPORT_OPTIONS,
      ...selection,
      labels: isWorkbook || purpose === 'jsonl',
      titles: isWorkbook,
      withNumber: isWorkbook,
      titlesForPeople: isWorkbook,
      statistics: purpose === 'data',
      format: exportFormats.find((format) => format === purpose) ?? 'csv',
      words: metaWords(),
      isWorkbook,
    }
  }
  const format = query.get('format')
  const isWorkbook = format === 'xlsx'
  const has = (flag: string) => query.get(flag) === '1'
  return {
    ...selection,
    isWorkbook,
    labels: has('include_labels'),
    scores: has('score_based'),
    codes: has('include_codes'),
    statistics: false,
    format: 'csv',
    expandGet: false,
    marksLabels: true,
    titlesForPeople: true,
    keysInHeader: has('include_id'),
    titles: has('show_titles'),
    inverted: has('inverted'),
    stripHtml: has('strip_html'),
    // These two options apply only to CSV. In a workbook, a line break does not end the row, and a text is never read
    // as a formula.
    escapeNewline: has('escape_newline') && !isWorkbook,
    formulaGuard: has('formula_guard') && !isWorkbook,
    tabSeparated: format === 'tab_separated',
    bom: format === 'bom',
    withNumber: isWorkbook,
    withKey: has('include_key'),
    withUrl: has('include_url'),
    withLink: has('include_response_link'),
  }
}

function readNumbers(text: string): number[] | undefined {
  const parts = text.split(/[\s,;]+/).filter(Boolean)
  const wrong = parts.find((part) => !/^\d{1,9}$/.test(part))
  if (wrong !== undefined) throw problems.invalidField('numbers', 'invalid_id', { value: wrong.slice(0, 40) })
  return parts.length > 0 ? parts.map(Number) : undefined
}

/**
 * Sends the responses as a CSV file or a workbook. The reply begins only after the first byte of the file is available,
 * so that an error that occurs before the first byte is shown on a page.
 */
export async function exportFile({ context, survey, query }: SurveyRequest): Promise<PageResult> {
  const search = query.get('base') ?? ''
  const selected = {
    search,
    mode: 'strict',
    parameters: PAGE_PARAMETERS,
    filter: parseListQuery(search).filter,
  } as const
  const { isWorkbook, ...read } = readOptions(query)
  const isForReading = query.get('purpose') === 'workbook'
  const { timeZone } = pageLocale()
  // PostgreSQL may not know a time zone that the browser named.
  const options = {
    ...read,
    ...(isForReading && (await isTimeZone(context.em, timeZone)) && { timeZone }),
    ...(isForReading && { states: stateWords() }),
  }
  const layout = isForReading ? await readingLayout(context, survey.id, options) : undefined
  const { filename, type, columns, stream } = await exportResponses(context, survey.id, selected, options)
  await firstByte(stream)
  return isWorkbook
    ? { file: toWorkbook(stream, columns, layout), type: XLSX_TYPE, name: workbookName(filename) }
    : { file: stream, type, name: filename }
}

/** Returns the words for the states of responses in the language of the pages; in English, those of the API. */
const stateWords = (): readonly string[] =>
  pageLanguage() === 'en' ? STATE_LABELS : STATE_NAMES.map((name) => t(name))

/** Returns the layout of the workbook for people, in the language of the pages. */
async function readingLayout(context: Context, surveyId: number, options: ExportOptions): Promise<ReadingLayout> {
  const variables = await findVariables(context, surveyId, {
    ...options,
    withWeight: false,
    words: { label: (text) => t(text), states: options.states ?? STATE_LABELS },
  })
  const words = {
    header: [
      t('Column'),
      t('Label'),
      t('Type'),
      t('Value'),
      t('Label of the value'),
      t('Name for statistics programs'),
      t('Question'),
      t('Key'),
    ],
    types: typeNames(),
    marks: {
      _labels: t('Columns of choices contain labels.'),
      _codes: t('Columns of choices contain codes.'),
    },
  }
  return {
    sheet: t('Responses'),
    codebookSheet: t('Codebook'),
    metaHeading: (key) =>
      metaFieldByKey.get(key)?.type === 'time'
        ? `${t(metaLabel(key))} (${options.timeZone ?? 'UTC'})`
        : t(metaLabel(key)),
    codebook: readingCodebook(variables, words, options),
  }
}

/** Maximum number of variables in the table, and of values of a variable. The files contain all. */
const MAX_ROWS = 1_000
const MAX_VALUES = 30

const FILES = perLanguage(
  () =>
    ({
      csv: t('Codebook as a table (CSV)'),
      spss: t('Syntax file for SPSS and PSPP (.sps)'),
      stata: t('Do-file for Stata (.do)'),
      r: t('Script for R (.R)'),
    }) as const,
)

/** The names of the types of variables. */
const typeNames = perLanguage(
  () =>
    ({
      number: t('number'),
      text: t('text'),
      date: t('date'),
      time: t('time'),
      datetime: t('date and time'),
    }) as const,
)

/** Returns the words for metadata in the language of the page. In English, the files of a page are those of the API. */
const metaWords = (): MetaWords | undefined =>
  pageLanguage() === 'en' ? undefined : { label: (text) => t(text), states: STATE_NAMES.map((name) => t(name)) }

/** Shows the variables of the file for statistics programs, or sends them as a file. */
export async function showCodebook(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const language = query.get('language') || undefined
  const options = {
    ...{ include: undefined, language, withKey: false, withNumber: false, words: metaWords() },
    withCategories: query.get('include_categories') === '1',
  }
  const format = codebookFormats.find((one) => one === query.get('format'))
  if (format) {
    const { filename, text } = await writeCodebook(context, survey.id, format, options)
    const type = `text/${format === 'csv' ? 'csv' : 'plain'}; charset=utf-8`
    return { file: Readable.from([Buffer.from(text)]), type, name: filename }
  }
  const { listPath, textContext } = await readResponsesRequest(request)
  const variables = await findVariables(context, survey.id, options)
  const fileLink = (name: (typeof codebookFormats)[number]) =>
    html`<li>
      <a href="${listPath}codebook/?format=${name}${language && `&language=${encodeURIComponent(language)}`}">
        ${FILES()[name]}
      </a>
    </li>`
  return request.render({
    title: t('Codebook'),
    beforeHeading: backLink(`${listPath}download/`, t('Download responses')),
    content: html`
      <div class="card">
        <p>
          ${t(
            'These are the columns of the download “CSV for statistics programs”. Their names never change. Save a file for your program in the folder of the download, and start it there: it reads the download with names, types, labels and missing values.',
          )}
        </p>
        <ul>${codebookFormats.map(fileLink)}</ul>
      </div>
      ${
        variables.length > MAX_ROWS &&
        html`<p class="soft">
          ${t('The table shows the first {count} columns. The files contain all.', { count: String(MAX_ROWS) })}
        </p>`
      }
      <div class="scroll" role="region" aria-label="${t('Codebook')}" tabindex="0">
        <table class="sheet">
          <thead>
            <tr>
              <th scope="col">${t('Column')}</th>
              <th scope="col">${t('Label')}</th>
              <th scope="col">${t('Type')}</th>
              <th scope="col">${t('Values')}</th>
            </tr>
          </thead>
          <tbody>${variables.slice(0, MAX_ROWS).map((variable) => rowOf(variable, textContext.language))}</tbody>
        </table>
      </div>`,
  })
}

const rowOf = ({ name, label, type, values, missing, source }: Variable, language: string): Html => {
  const said = 'meta' in source ? null : html` lang="${language}"`
  const blank =
    missing === 'not asked' && html`${values.length > 0 && '; '}<span class="soft">${t('blank: not asked')}</span>`
  return html`<tr>
    <th scope="row"><code>${name}</code></th>
    <td data-title="${t('Label')}"><span${said}>${label}</span></td>
    <td data-title="${t('Type')}">${typeNames()[type]}</td>
    <td data-title="${t('Values')}"${values.length === 0 && !blank && html` class="none"`}>
      <span${said}>${valuesView(values)}${blank}</span>
    </td>
  </tr>`
}

const valuesView = (values: readonly ValueLabel[]): Html =>
  html`
    ${values
      .slice(0, MAX_VALUES)
      .map(({ value, label }, index) => html`${index > 0 && ', '}<code>${value}</code> ${label}`)}
    ${values.length > MAX_VALUES && ' …'}`

/** Sends a file of a response as a download, so that browsers never show the file as a page of this site. */
export async function downloadFile({ context, ctx, survey, params }: SurveyRequest): Promise<PageResult> {
  const { name, key, bytes, read } = await openFile(context, survey.id, params.file ?? '')
  const { headers: fields } = ctx.request
  const { status, range, headers } = selectPart(bytes, `"${key}"`, fields)
  setContentSecurityPolicy(ctx, { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], sandbox: [] })
  const hasContent = ctx.method !== 'HEAD' && (status === 200 || status === 206)
  const file = hasContent ? await read(range) : ''
  return { file, type: 'application/octet-stream', name, status, headers: { ...headers } }
}
