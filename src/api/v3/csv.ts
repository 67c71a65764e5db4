import { EXPORT_PARAMETERS, exportReply, WORKBOOK_PARAMETERS, workbookReply } from '../export.ts'
import type { Operation } from './operation.ts'

/** The parameters that only version 3 has. In version 2, they are filters. */
const CSV_PARAMETERS: ReadonlySet<string> = new Set([...EXPORT_PARAMETERS, 'include_codes', 'for_statistics'])
const XLSX_PARAMETERS: ReadonlySet<string> = new Set([...WORKBOOK_PARAMETERS, 'include_codes'])

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
