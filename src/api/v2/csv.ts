import { exportResponses } from '../../domain/response/export/export.ts'
import { EXPORT_PARAMETERS, exportOptions, exportReply } from '../export.ts'
import type { Operation } from './operation.ts'

export const exportCsv: Operation<'exportCsv'> = async ({ context, path, query, search }) => {
  const listQuery = { search, mode: 'lenient', known: EXPORT_PARAMETERS, filter: query.filter } as const
  return exportReply(await exportResponses(context, path.survey_id, listQuery, exportOptions(query)))
}
