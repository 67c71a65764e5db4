import type { Readable } from 'node:stream'
import { openImage } from '../../domain/file/image.ts'
import { type ImageType, imageTypeOf } from '../../domain/image/image.ts'
import { problems } from '../../domain/problem.ts'
import { isLogoType } from '../../domain/theme/parse-theme.ts'
import { findLogoFile } from '../../domain/theme/store.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { cachePermanently } from './theme.ts'

/**
 * Sends a logo.
 * @throws {Problem} `survey_not_found` if no theme has this logo
 */
export const showLogo = (request: PageRequest): Promise<PageResult> =>
  sendImage(request, async (digest, type) =>
    isLogoType(type) ? findLogoFile(request.context.em, digest, type) : undefined,
  )

/**
 * Sends the image of a choice.
 * @throws {Problem} `survey_not_found` if no survey has this image, `unavailable` if the object storage fails
 */
export const showImage = (request: PageRequest): Promise<PageResult> =>
  sendImage(request, (digest, type) => openImage(request.context, digest, type))

/**
 * Sends an image. If a browser opens the file directly, the Content-Security-Policy prevents the file from loading or
 * running anything.
 */
async function sendImage(
  { ctx, params }: PageRequest,
  open: (digest: string, type: ImageType) => Promise<Buffer | Readable | undefined>,
): Promise<PageResult> {
  const [, digest, extension] = /^([0-9a-f]{32})\.(\w+)$/.exec(params.file ?? '') ?? []
  const type = imageTypeOf(extension ?? '')
  const file = digest && type && (await open(digest, type))
  if (!file) throw problems.surveyNotFound()
  cachePermanently(ctx)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Content-Security-Policy', "default-src 'none';sandbox")
  return { file, type, etag: digest }
}
