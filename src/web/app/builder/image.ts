import { Readable } from 'node:stream'
import { MAX_IMAGE_BYTES, storeImage } from '../../../domain/file/image.ts'
import { imagePath } from '../../../domain/image/image.ts'
import { Problem } from '../../../domain/problem.ts'
import { spool } from '../../../lib/temporary-files.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { errorText, problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** Stores an image that the script of the builder uploads. */
export async function saveImage(request: SurveyRequest): Promise<PageResult> {
  try {
    return { json: await storeFormImage(request, formValue(request.form, 'file') ?? '') }
  } catch (error) {
    const problem = request.toProblem(error)
    if (problem instanceof Problem) return { json: { error: problemText(problem) } }
    throw error
  }
}

/** A stored image, or a sentence with the reason why the image was rejected. */
type FormImage = { url: string } | { error: string }

/**
 * Stores the image that a form field contains as Base64.
 * @throws {Problem} `too_many_requests`; `unavailable` if the virus scanner or the object storage fails
 */
async function storeFormImage({ context, survey }: SurveyRequest, base64: string): Promise<FormImage> {
  await context.services.limits.uploads.consume(`account ${context.actor.id}`)
  const content = Readable.from([Buffer.from(base64, 'base64')])
  const file = await spool(content, '', MAX_IMAGE_BYTES, Number.POSITIVE_INFINITY)
  try {
    const image = await storeImage(context, survey.id, file)
    return 'code' in image ? { error: t('The image {error}.', { error: errorText(image) }) } : { url: imagePath(image) }
  } finally {
    await file.remove()
  }
}

/**
 * Stores the images of a form that was submitted without the script.
 * @returns the form with the URLs of the stored images, and for each rejected image the reason as a sentence
 */
export async function storeFormImages(
  request: SurveyRequest,
  form: FormFields,
): Promise<{ form: FormFields; errors: string[] }> {
  const stored: Record<string, string> = {}
  const errors: string[] = []
  for (const name of Object.keys(form)) {
    const [, prefix, index] = /^(choice\.(\d+))\.file$/.exec(name) ?? []
    const base64 = prefix && formValue(form, name)
    if (!base64) continue
    const image = await storeFormImage(request, base64)
    if ('url' in image) stored[`${prefix}.image`] = image.url
    else errors.push(t('Choice {number}: {error}', { number: Number(index) + 1, error: image.error }))
  }
  return { form: { ...form, ...stored }, errors }
}
