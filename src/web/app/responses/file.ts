import { openFile } from '../../../domain/file/queries.ts'
import { setContentSecurityPolicy } from '../../csp.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** Sends a file of a response as a download, so that browsers never show the file as a page of this site. */
export async function downloadFile({ context, ctx, survey, params }: SurveyRequest): Promise<PageResult> {
  const { name, stream } = await openFile(context, survey.id, params.file ?? '')
  setContentSecurityPolicy(ctx, { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], sandbox: [] })
  return { file: stream, type: 'application/octet-stream', name }
}
