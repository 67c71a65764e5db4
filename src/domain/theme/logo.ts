import { type ImageType, parseImage } from '../image/image.ts'
import { problems } from '../problem.ts'
import { LOGO_TYPES, type Logo, type LogoType } from './theme.ts'

export const MAX_LOGO_BYTES = 500_000
const LIMITS = { types: Object.keys(LOGO_TYPES) as LogoType[], maxBytes: MAX_LOGO_BYTES, maxPixels: 4_000 }

/** A logo with its file. */
export interface LogoFile extends Logo {
  bytes: Buffer
}

/**
 * Parses an image as base64 or as a data URL.
 * @throws {Problem} `invalid_request` for another format, or an image that is too large or incomplete
 */
export function parseLogo(text: string): LogoFile {
  const bytes = Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64')
  const logo = parseImage(bytes, LIMITS)
  if ('code' in logo) throw problems.invalid([{ field: 'logo', ...logo }])
  return { ...logo, bytes }
}

/** Returns whether a logo can have a type. */
export const isLogoType = (type: ImageType | undefined): type is LogoType => type !== undefined && type in LOGO_TYPES
