import { createHash } from 'node:crypto'
import { imageSize } from 'image-size'
import { problems } from '../problem.ts'
import { LOGO_TYPES, type Logo, type LogoType } from './theme.ts'

export const MAX_LOGO_BYTES = 500_000
const MAX_LOGO_PIXELS = 4_000
const FORMATS: Readonly<Record<string, LogoType>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' }

/** A logo with its file. */
export interface LogoFile extends Logo {
  bytes: Buffer
}

/**
 * Parses an image as base64 or as a data URL. The type is determined from the bytes, not from the name or the declared
 * type. SVG is not accepted: it can contain scripts.
 * @throws {Problem} `invalid_request` for another format, or an image that is too large
 */
export function parseLogo(text: string): LogoFile {
  const bytes = Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64')
  if (bytes.length > MAX_LOGO_BYTES) throw problems.invalidField('logo', 'image_too_large', { max: MAX_LOGO_BYTES })
  const size = measure(bytes)
  const type = FORMATS[size?.type ?? '']
  if (!size || !type) throw problems.invalidField('logo', 'invalid_image')
  const { width, height } = size
  if (!(width > 0 && height > 0)) throw problems.invalidField('logo', 'invalid_image')
  if (width > MAX_LOGO_PIXELS || height > MAX_LOGO_PIXELS)
    throw problems.invalidField(
      'logo',
      'image_too_large',
      {},
      `must be at most ${MAX_LOGO_PIXELS} pixels wide and high`,
    )
  return { digest: createHash('sha256').update(bytes).digest('hex').slice(0, 32), type, width, height, bytes }
}

function measure(bytes: Buffer) {
  try {
    return imageSize(bytes)
  } catch {
    return undefined
  }
}

/** Returns the media type of a file extension; undefined for an extension that no logo has. */
export const logoTypeOf = (extension: string): LogoType | undefined =>
  (Object.keys(LOGO_TYPES) as LogoType[]).find((type) => LOGO_TYPES[type] === extension)
