import { Readable } from 'node:stream'
import type { Context } from '../domain/context.ts'
import { problems } from '../domain/problem.ts'
import type { DataFormat, ExportOptions } from '../domain/response/export/columns.ts'
import { describeExport, type ExportFile, openExport } from '../domain/response/export/export.ts'
import { ENGLISH_WORDS, findVariables, readingCodebook } from '../domain/response/export/statistics/codebook.ts'
import { ENGLISH_LAYOUT, toWorkbook, workbookName } from '../domain/response/export/workbook.ts'
import type { ResponseSearch } from '../domain/response/list/queries.ts'
import { hasTag, isCurrent, parseRange } from '../lib/http.ts'
import { XLSX_TYPE } from '../lib/xlsx/media-type.ts'
import { attachment } from './attachment.ts'
import { httpErrors } from './engine/http-error.ts'

/** The query of an export as CSV. Version 2 of the API has all parameters but the last ones. */
export interface ExportQuery {
  filter?: string
  ids?: number[]
  include?: string[]
  language?: string
  include_url?: boolean
  include_labels?: boolean
  include_id?: boolean
  include_key?: boolean
  show_titles?: boolean
  score_based?: boolean
  escape_newline?: boolean
  tab_separated?: boolean
  comma_separated?: boolean
  strip_html?: boolean
  inverted?: boolean
  include_response_link?: boolean
  formula_guard?: boolean
  bom?: boolean
  include_codes?: boolean
  expand_GET?: boolean
  for_statistics?: boolean
  for_reading?: boolean
  include_categories?: boolean
}

/** The parameters of which each has no effect on a file for statistics programs. */
const NOT_FOR_STATISTICS = [
  'include_labels',
  'score_based',
  'include_codes',
  'include_id',
  'show_titles',
  'inverted',
  'escape_newline',
  'strip_html',
  'formula_guard',
  'tab_separated',
  'include_url',
  'include_response_link',
] as const

/**
 * Returns the options of an export.
 * @throws {Problem} `invalid_request` if two parameters exclude each other
 */
function exportOptions({ query, marksLabels = false }: Pick<Download, 'query' | 'marksLabels'>): ExportOptions {
  if (query.tab_separated && query.comma_separated)
    throw problems.invalidField('comma_separated', 'mutually_exclusive', { other: 'tab_separated' })
  const unused = query.for_statistics ? NOT_FOR_STATISTICS.find((name) => query[name]) : undefined
  if (unused) throw problems.invalidField(unused, 'mutually_exclusive', { other: 'for_statistics' })
  return {
    labels: query.include_labels ?? false,
    scores: query.score_based ?? false,
    codes: query.include_codes ?? false,
    marksLabels,
    statistics: query.for_statistics ?? false,
    format: 'csv',
    titlesForPeople: query.for_reading ?? false,
    keysInHeader: query.include_id ?? false,
    titles: query.show_titles ?? false,
    inverted: query.inverted ?? false,
    escapeNewline: query.escape_newline ?? false,
    stripHtml: query.strip_html ?? false,
    formulaGuard: query.formula_guard ?? false,
    tabSeparated: query.tab_separated ?? false,
    bom: query.bom ?? false,
    withKey: query.include_key ?? false,
    withUrl: query.include_url ?? false,
    withLink: query.include_response_link ?? false,
    withCategories: query.include_categories ?? false,
    withNumber: false,
    expandGet: query.expand_GET ?? false,
    language: query.language || undefined,
    include: query.include?.length ? query.include : undefined,
    ids: query.ids?.length ? query.ids : undefined,
    numbers: undefined,
  }
}

/** The query parameters of a workbook that CSV exports of all versions have. All other parameters are filters (docs/specification.md 7.7). */
export const WORKBOOK_PARAMETERS: ReadonlySet<string> = new Set<keyof ExportQuery>([
  'filter',
  'ids',
  'include',
  'language',
  'include_url',
  'include_labels',
  'include_id',
  'include_key',
  'show_titles',
  'score_based',
  'strip_html',
  'inverted',
  'include_response_link',
])

/** The query parameters of a CSV export of all versions. All other parameters are filters (docs/specification.md 7.7). */
export const EXPORT_PARAMETERS: ReadonlySet<string> = new Set([
  ...WORKBOOK_PARAMETERS,
  'escape_newline',
  'tab_separated',
  'comma_separated',
  'formula_guard',
  'bom',
])

/** Header fields of a request for a file or for a part of a file. Their names are in lower case. */
interface DownloadFields {
  'if-none-match'?: string
  'if-range'?: string
  range?: string
}

export interface Download {
  context: Context
  surveyId: number
  method: string
  httpVersion: string
  headers: DownloadFields
  search: ResponseSearch
  query: ExportQuery
  /** See {@link ExportOptions}. */
  marksLabels?: boolean
}

/** Returns 304 if the client has this file already, the header fields without a body for HEAD, otherwise undefined. */
async function replyWithoutFile(
  { context, surveyId, method, headers: { 'if-none-match': wanted }, search }: Download,
  options: ExportOptions,
  fieldsOf: (file: ExportFile & { etag: string }) => { 'Content-Type': string; ETag: string },
) {
  if (wanted === undefined && method !== 'HEAD') return undefined
  const described = await describeExport(context, surveyId, search, options)
  const headers = fieldsOf(described)
  if (wanted !== undefined && hasTag(wanted, described.etag))
    return { status: 304 as const, headers: { ETag: headers.ETag } }
  return method === 'HEAD' ? { status: 200 as const, stream: Readable.from([]), headers } : undefined
}

/**
 * Returns the reply to a request for a file of lines: the whole file, the part that `Range` selects, or 304 if the client
 * has the file already (RFC 9110, 13 and 14).
 * @throws {HttpError} 416 for a range beyond the end of the file
 */
export async function exportReply(download: Download, format: 'csv' | 'jsonl' = 'csv') {
  const { context, surveyId, headers, search } = download
  const options = { ...exportOptions(download), format }
  const early = await replyWithoutFile(download, options, resumableFields)
  if (early) return early
  const file = await openExport(context, surveyId, search, options)
  const fields = resumableFields(file)
  const select = isCurrent(headers['if-range'], file.etag) ? parseRange(headers.range ?? '') : undefined
  if (!select) {
    // HTTP/1.0 has no chunks, which show a client that a file is not whole.
    const end = download.httpVersion === '1.0' ? file.knownLength : undefined
    return {
      status: 200 as const,
      stream: file.stream(end === undefined ? undefined : { start: 0, end }),
      headers: { ...fields, ...(end !== undefined && { 'Content-Length': String(end) }) },
      trailer: { name: 'X-Row-Count', value: () => String(file.rows()) },
    }
  }
  const length = await file.length()
  const range = select(length)
  if (!range) {
    await file.close()
    throw httpErrors.rangeNotSatisfiable(length)
  }
  return {
    status: 206 as const,
    stream: file.stream(range),
    headers: {
      ...fields,
      'Content-Range': `bytes ${range.start}-${range.end - 1}/${length}`,
      'Content-Length': String(range.end - range.start),
    },
  }
}

/**
 * Returns the reply with an Excel workbook, or 304 if the client has the workbook already.
 * @throws {Problem} `invalid_request` for more columns than a sheet can have
 */
export async function workbookReply(download: Download) {
  const { context, surveyId, search, query } = download
  const options = exportOptions(download)
  const early = await replyWithoutFile(download, options, workbookFields)
  if (early) return early
  const layout = query.for_reading
    ? {
        ...ENGLISH_LAYOUT,
        codebook: readingCodebook(
          await findVariables(context, surveyId, { ...options, withWeight: false }),
          ENGLISH_WORDS,
          options,
        ),
      }
    : undefined
  const file = await openExport(context, surveyId, search, options)
  const stream = toWorkbook(file.stream(), file.columns, layout)
  return { status: 200 as const, stream, headers: workbookFields(file) }
}

/** Returns the reply with a file of a format with types, or 304 if the client has the file already. */
export async function dataFileReply(download: Download, format: DataFormat) {
  const { context, surveyId, search } = download
  const options = { ...exportOptions(download), format }
  const early = await replyWithoutFile(download, options, fileFields)
  if (early) return early
  const file = await openExport(context, surveyId, search, options)
  return { status: 200 as const, stream: file.stream(), headers: fileFields(file) }
}

const fileFields = ({ filename, type, etag }: ExportFile & { etag: string }) => ({
  'Content-Type': type,
  'Content-Disposition': attachment(filename),
  ETag: etag,
})

// The ETag is weak, because another version of the compression library produces other bytes for the same content.
const workbookFields = ({ filename, etag }: ExportFile & { etag: string }) => ({
  'Content-Type': XLSX_TYPE,
  'Content-Disposition': attachment(workbookName(filename)),
  ETag: `W/${etag}`,
})

const resumableFields = (file: ExportFile & { etag: string }) => ({ ...fileFields(file), 'Accept-Ranges': 'bytes' })
