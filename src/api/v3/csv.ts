import { Readable } from 'node:stream'
import { type CodebookFormat, writeCodebook } from '../../domain/response/export/statistics/codebook.ts'
import { attachment } from '../attachment.ts'
import {
  EXPORT_PARAMETERS,
  type ExportQuery,
  exportReply,
  savReply,
  WORKBOOK_PARAMETERS,
  workbookReply,
} from '../export.ts'
import type { Operation } from './operation.ts'

/** The parameters that only version 3 has. In version 2, they are filters. */
const CSV_PARAMETERS: ReadonlySet<string> = new Set([...EXPORT_PARAMETERS, 'include_codes', 'for_statistics'])
const XLSX_PARAMETERS: ReadonlySet<string> = new Set([...WORKBOOK_PARAMETERS, 'include_codes', 'for_reading'])
const SAV_PARAMETERS: ReadonlySet<string> = new Set<keyof ExportQuery>([
  'filter',
  'ids',
  'include',
  'language',
  'include_key',
])

export const exportCsv: Operation<'exportCsv'> = ({ path, query, search, ...request }) =>
  exportReply({
    ...request,
    surveyId: path.survey_id,
    query,
    marksLabels: true,
    search: { search, mode: 'strict', parameters: CSV_PARAMETERS, filter: query.filter },
  })

export const exportWorkbook: Operation<'exportWorkbook'> = ({ path, query, search, ...request }) =>
  workbookReply({
    ...request,
    surveyId: path.survey_id,
    query,
    search: { search, mode: 'strict', parameters: XLSX_PARAMETERS, filter: query.filter },
  })

export const exportSav: Operation<'exportSav'> = ({ path, query, search, ...request }) =>
  savReply({
    ...request,
    surveyId: path.survey_id,
    query,
    search: { search, mode: 'strict', parameters: SAV_PARAMETERS, filter: query.filter },
  })

const CODEBOOK_TYPES: Readonly<Record<CodebookFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  spss: 'text/plain; charset=utf-8',
  stata: 'text/plain; charset=utf-8',
  r: 'text/plain; charset=utf-8',
}

export const exportCodebook: Operation<'exportCodebook'> = async ({ context, path, query }) => {
  const { format = 'csv', language, include, include_key: withKey = false } = query
  const options = {
    language: language || undefined,
    include: include?.length ? include : undefined,
    withKey,
    withNumber: false,
  }
  const { filename, text } = await writeCodebook(context, path.survey_id, format, options)
  const headers = { 'Content-Type': CODEBOOK_TYPES[format], 'Content-Disposition': attachment(filename) }
  return { status: 200, stream: Readable.from([Buffer.from(text)]), headers }
}
