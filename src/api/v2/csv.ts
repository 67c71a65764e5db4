import { exportResponses } from '../../domain/response/export/export.ts'
import { exportOptions, exportReply } from '../export.ts'
import type { Operation } from './operation.ts'

export const exportCsv: Operation<'exportCsv'> = async ({ context, path, query }) =>
  exportReply(await exportResponses(context, path.survey_id, exportOptions(query)))
