import { kilobytes } from '../domain/limits.ts'
import { openPreviewLink } from '../domain/survey/preview-links.ts'
import { renderPreview } from './app/builder/preview.ts'
import { denyFraming } from './csp.ts'
import { formValue } from './forms/form-fields.ts'
import type { PageRequest, PageResult } from './page.ts'
import { countSubmission, countSurveyRequest } from './respondent/rate-limit.ts'

/** The form has the answers to all pages so far, because nothing is stored. */
const MAX_FORM_BYTES = 2 * 1024 * 1024

/**
 * Shows the preview of a survey to a person with a preview link. Nothing that the person enters is stored. Of the
 * submitted form, only answers are read, so that nobody can show a structure of their own at this address.
 */
export async function showSharedPreview(request: PageRequest): Promise<PageResult> {
  const { ctx, context, query, params } = request
  denyFraming(ctx)
  // The address is a secret, which pages of this site do not need either.
  ctx.set('Referrer-Policy', 'no-referrer')
  ctx.set('X-Robots-Tag', 'noindex, nofollow')
  await countSurveyRequest(request)
  const { snapshot, structure, removed } = await openPreviewLink(context, params.key ?? '')
  const isSubmitted = ctx.method === 'POST'
  const form = isSubmitted ? await request.form(MAX_FORM_BYTES) : {}
  if (isSubmitted && formValue(form, '_go') !== 'look')
    await countSubmission(request, kilobytes(ctx.request.length ?? MAX_FORM_BYTES))
  const { settings, theme, texts } = snapshot
  return renderPreview(
    { ctx, context, query, form },
    { structure, before: { structure, removed }, settings, theme, texts, action: `/preview/${params.key}/` },
  )
}
