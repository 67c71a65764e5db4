import { isTimeZone } from '../../../domain/account/commands.ts'
import type { Context } from '../../../domain/context.ts'
import { problems } from '../../../domain/problem.ts'
import { exportResponses } from '../../../domain/response/export/export.ts'
import { DEFAULT_EXPORT_OPTIONS, type ExportOptions } from '../../../domain/response/export/options.ts'
import { readingCodebook } from '../../../domain/response/export/statistics/codebook.ts'
import { findVariables } from '../../../domain/response/export/statistics/describe.ts'
import { type ReadingLayout, toWorkbook, workbookName } from '../../../domain/response/export/workbook.ts'
import { metaFieldByKey, metaLabel, STATE_LABELS, STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import { firstByte } from '../../../lib/first-byte.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { PAGE_PARAMETERS, parseListQuery } from '../../filter/list-query.ts'
import { pageLanguage, pageLocale } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { metaWords, typeNames } from './codebook.ts'

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
  }
  if (purpose !== 'custom') {
    const isWorkbook = purpose === 'workbook'
    return {
      ...DEFAULT_EXPORT_OPTIONS,
      ...selection,
      labels: isWorkbook,
      titles: isWorkbook,
      withNumber: isWorkbook,
      titlesForPeople: isWorkbook,
      statistics: !isWorkbook,
      sav: purpose === 'sav',
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
    sav: false,
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
  const { filename, charset, columns, stream } = await exportResponses(context, survey.id, selected, options)
  await firstByte(stream)
  if (options.sav) return { file: stream, type: 'application/octet-stream', name: filename }
  return isWorkbook
    ? { file: toWorkbook(stream, columns, layout), type: XLSX_TYPE, name: workbookName(filename) }
    : { file: stream, type: `text/csv; charset=${charset}`, name: filename }
}

/** Returns the words for the states of responses in the language of the pages; in English, those of the API. */
const stateWords = (): readonly string[] =>
  pageLanguage() === 'en' ? STATE_LABELS : STATE_NAMES.map((name) => t(name))

/** Returns the layout of the workbook for people, in the language of the pages. */
async function readingLayout(context: Context, surveyId: number, options: ExportOptions): Promise<ReadingLayout> {
  const variables = await findVariables(context, surveyId, {
    ...options,
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
