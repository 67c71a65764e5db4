import type { Readable } from 'node:stream'
import { openImage } from '../../domain/file/image.ts'
import { type ImageType, imageTypeOf } from '../../domain/image/image.ts'
import { problems } from '../../domain/problem.ts'
import { FONT_TYPE } from '../../domain/theme/font.ts'
import { isLogoType } from '../../domain/theme/parse-theme.ts'
import { findThemeFile } from '../../domain/theme/store.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { cachePermanently, showThemeSheet } from './theme.ts'

/**
 * Sends a logo.
 * @throws {Problem} `survey_not_found` if no theme has this logo
 */
export const showLogo = (request: PageRequest): Promise<PageResult> =>
  sendImage(request, async (digest, type) =>
    isLogoType(type) ? findThemeFile(request.context.em, 'logo', digest, type) : undefined,
  )

/**
 * Sends a file of a theme: a style sheet, a font or a cover picture.
 * @throws {Problem} `survey_not_found` if no theme has this file
 */
export async function showThemeFile(request: PageRequest): Promise<PageResult> {
  const { ctx, context, params } = request
  const name = params.file ?? ''
  if (name.endsWith('.css')) return showThemeSheet(request, name)
  const [, digest] = /^([0-9a-f]{32})\.woff2$/.exec(name) ?? []
  if (digest) return sendFile(ctx, await findThemeFile(context.em, 'font_file', digest, FONT_TYPE), FONT_TYPE, digest)
  return sendImage(request, async (digest, type) =>
    isLogoType(type) ? findThemeFile(context.em, 'cover', digest, type) : undefined,
  )
}

/**
 * Sends the image of a choice.
 * @throws {Problem} `survey_not_found` if no survey has this image, `unavailable` if the object storage fails
 */
export const showImage = (request: PageRequest): Promise<PageResult> =>
  sendImage(request, (digest, type) => openImage(request.context, digest, type))

/** Sends the image with the digest and the type in the path. */
async function sendImage(
  { ctx, params }: PageRequest,
  open: (digest: string, type: ImageType) => Promise<Buffer | Readable | undefined>,
): Promise<PageResult> {
  const [, digest, extension] = /^([0-9a-f]{32})\.(\w+)$/.exec(params.file ?? '') ?? []
  const type = imageTypeOf(extension ?? '')
  const file = digest && type && (await open(digest, type))
  return sendFile(ctx, file || undefined, type!, digest!)
}

/**
 * Sends a file. If a browser opens the file directly, the Content-Security-Policy prevents the file from loading or
 * running anything.
 * @throws {Problem} `survey_not_found` for no file
 */
function sendFile(
  ctx: PageRequest['ctx'],
  file: Buffer | Readable | undefined,
  type: string,
  digest: string,
): PageResult {
  if (!file) throw problems.surveyNotFound()
  cachePermanently(ctx)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Content-Security-Policy', "default-src 'none';sandbox")
  return { file, type, etag: digest }
}
