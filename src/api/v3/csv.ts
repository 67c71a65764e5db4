import { EXPORT_PARAMETERS, exportReply, WORKBOOK_PARAMETERS, workbookReply } from '../export.ts'
import type { Operation } from './operation.ts'

export const exportCsv: Operation<'exportCsv'> = ({ path, query, search, ...request }) =>
  exportReply({
    ...request,
    surveyId: path.survey_id,
    query,
    search: { search, mode: 'strict', parameters: EXPORT_PARAMETERS, filter: query.filter },
  })

export const exportWorkbook: Operation<'exportWorkbook'> = ({ path, query, search, ...request }) =>
  workbookReply({
    ...request,
    surveyId: path.survey_id,
    query,
    search: { search, mode: 'strict', parameters: WORKBOOK_PARAMETERS, filter: query.filter },
  })
