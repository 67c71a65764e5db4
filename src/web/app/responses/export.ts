import { problems } from '../../../domain/problem.ts'
import { exportResponses } from '../../../domain/response/export/export.ts'
import { DEFAULT_EXPORT_OPTIONS, type ExportOptions } from '../../../domain/response/export/options.ts'
import { toWorkbook, workbookName } from '../../../domain/response/export/workbook.ts'
import { firstByte } from '../../../lib/first-byte.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { PAGE_PARAMETERS, parseListQuery } from '../../filter/list-query.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

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
      statistics: !isWorkbook,
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
    marksLabels: true,
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
  const { isWorkbook, ...options } = readOptions(query)
  const { filename, charset, kinds, stream } = await exportResponses(context, survey.id, selected, options)
  await firstByte(stream)
  return isWorkbook
    ? { file: toWorkbook(stream, kinds), type: XLSX_TYPE, name: workbookName(filename) }
    : { file: stream, type: `text/csv; charset=${charset}`, name: filename }
}
