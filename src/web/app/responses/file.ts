import { openFile } from '../../../domain/file/queries.ts'
import { selectPart } from '../../../lib/byte-range.ts'
import { setContentSecurityPolicy } from '../../csp.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

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
