import { createHash } from 'node:crypto'
import { loadPackage } from '../../lib/lazy.ts'
import { digest } from '../../lib/secrets.ts'
import { detail } from '../error-details.ts'
import { type ValueError, valueError } from '../field-error.ts'

/** The types that browsers show, with their extensions. SVG is not accepted, because it can contain scripts. */
const IMAGE_TYPES = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
} as const
export type ImageType = keyof typeof IMAGE_TYPES
export const imageTypes = Object.keys(IMAGE_TYPES) as ImageType[]

/** An image without its bytes. */
export interface Image<Type extends ImageType = ImageType> {
  /**
   * A part of the address of the image. If the image changes, its address changes too, so browsers may cache the image
   * permanently.
   */
  digest: string
  type: Type
  /** Size in pixels. */
  width: number
  height: number
}

/** The limits of an image. */
interface ImageLimits<Type extends ImageType> {
  types: readonly Type[]
  maxBytes: number
  /** Maximum width and height. A small file can contain so many pixels that a browser runs out of memory. */
  maxPixels: number
}

/**
 * Checks an image. The type is determined from the bytes, not from the name or the declared type.
 * @returns the image; an error if the format is not accepted, or if the image is too large or incomplete
 */
export function parseImage<Type extends ImageType>(
  bytes: Buffer,
  { types, maxBytes, maxPixels }: ImageLimits<Type>,
): Image<Type> | ValueError {
  if (bytes.length > maxBytes) return valueError('image_too_large', { max: maxBytes })
  const size = measure(bytes)
  const type = types.find((one) => IMAGE_TYPES[one] === size?.type)
  if (!size || !type || !(size.width > 0 && size.height > 0))
    return valueError('invalid_image', { accepted: types.map(nameOf).join(', ') })
  const { width, height } = size
  if (width > maxPixels || height > maxPixels)
    return valueError('image_too_large', {}, detail('image_pixels', { max: maxPixels }))
  if (!isComplete(bytes, type)) return valueError('image_incomplete')
  return { digest: createHash('sha256').update(bytes).digest('hex').slice(0, 32), type, width, height }
}

const nameOf = (type: ImageType): string => (type === 'image/webp' ? 'WebP' : type.slice('image/'.length).toUpperCase())

/**
 * Matches the beginning of a file of an accepted type. Only such files are passed to the library, because the library
 * can also measure other types, some of them slowly.
 */
const HEADS = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP|.{4}ftyp)/s
/**
 * Maximum number of bytes of an AVIF file that are passed to the library. The time that the library needs grows with
 * the square of the number of boxes in the file. One of the first boxes contains the width and height.
 */
const MAX_BOXES_BYTES = 65_536
/** Maximum number of segments of a JPEG file before its size. Cameras write fewer than a hundred. */
const MAX_JPEG_SEGMENTS = 1000

function measure(bytes: Buffer) {
  const head = bytes.toString('latin1', 0, 12)
  if (!HEADS.test(head)) return undefined
  const { imageSize } = loadPackage<typeof import('image-size')>('image-size')
  try {
    if (head.slice(4, 8) === 'ftyp') return imageSize(bytes.subarray(0, MAX_BOXES_BYTES))
    return imageSize(head.startsWith('\xff') ? jpegHead(bytes) : bytes)
  } catch {
    return undefined
  }
}

/**
 * Returns the beginning of a JPEG file up to the segment with its size. The library would read the whole file, two bytes
 * at a time if the segments are so short.
 * @throws RangeError if there is no such segment among the first thousand
 */
function jpegHead(bytes: Buffer): Buffer {
  let at = 2
  for (let segments = 0; segments < MAX_JPEG_SEGMENTS && bytes.readUInt8(at) === 0xff; segments++) {
    const isSize = bytes.readUInt8(at + 1) >= 0xc0 && bytes.readUInt8(at + 1) <= 0xc2
    at += 2 + bytes.readUInt16BE(at + 2)
    if (isSize) return bytes.subarray(0, at)
  }
  throw new RangeError('The JPEG file has no size.')
}

/** Returns the media type of a file extension; undefined for an extension that no image has. */
export const imageTypeOf = (extension: string): ImageType | undefined =>
  imageTypes.find((type) => IMAGE_TYPES[type] === extension)

/** Returns the path of an image. Structures contain it as the `url` of the image of a choice. */
export const imagePath = ({ digest, type }: Pick<Image, 'digest' | 'type'>): string =>
  `/images/${digest}.${IMAGE_TYPES[type]}`

/** Matches the address of an image in a structure. */
const ADDRESS = new RegExp(`/images/([0-9a-f]{32})\\.(?:${Object.values(IMAGE_TYPES).join('|')})\\b`, 'g')

/**
 * Returns an image, or another file, whose address depends on the key of the installation. Otherwise anyone could compute
 * the address of a file that they hold, and find out whether a survey uses it.
 */
export const withKeyedDigest = <Parsed extends Pick<Image, 'digest'>>(secretKey: Buffer, image: Parsed): Parsed => ({
  ...image,
  digest: digest(secretKey, `image ${image.digest}`).toString('hex').slice(0, 32),
})

/** Returns the digests of the images in a structure, in a fixed order. */
export const imagesIn = (structure: unknown): string[] =>
  [...new Set([...JSON.stringify(structure).matchAll(ADDRESS)].map(([, digest]) => digest!))].sort()

/**
 * Returns whether an image file is complete. Each format has a mark at its end, or contains its length. Without this
 * check, a file that was uploaded only in part would be accepted.
 */
function isComplete(bytes: Buffer, type: ImageType): boolean {
  try {
    return ENDS[type](bytes)
  } catch (error) {
    // A length in the image points beyond the end of the file.
    if (['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false
    throw error
  }
}

const ENDS: Readonly<Record<ImageType, (bytes: Buffer) => boolean>> = {
  'image/png': pngEnds,
  'image/jpeg': jpegEnds,
  'image/gif': (bytes) => bytes.findLast((byte) => byte !== 0) === 0x3b,
  'image/webp': (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length,
  'image/avif': avifEnds,
}

const IEND = 0x49454e44

/** Returns whether a PNG file contains the chunk IEND, which is its last chunk. */
function pngEnds(bytes: Buffer): boolean {
  for (let at = 8; ; at += bytes.readUInt32BE(at) + 12)
    if (bytes.readUInt32BE(at + 4) === IEND) return at + 12 <= bytes.length
}

const [SOS, EOI] = [0xda, 0xd9]

/**
 * Returns whether a JPEG file contains the marker EOI (end of image). A preview image in the metadata has a separate
 * EOI, which is skipped.
 */
function jpegEnds(bytes: Buffer): boolean {
  for (let at = 2; ; ) {
    const marker = bytes.readUInt8(at + 1)
    if (marker === EOI) return true
    at += 2 + bytes.readUInt16BE(at + 2)
    if (marker === SOS) at = endOfScan(bytes, at)
  }
}

/**
 * Returns the position of the next marker after compressed data. A marker begins with 0xff. In compressed data, 0xff is
 * always followed by a zero or belongs to a restart marker.
 */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1)
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

/** Returns whether the boxes of an AVIF file fill the file exactly. Each box begins with its length. */
function avifEnds(bytes: Buffer): boolean {
  let at = 0
  while (at < bytes.length) {
    const size = bytes.readUInt32BE(at)
    if (size === 0) return true
    const length = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size
    if (length < 8) return false
    at += length
  }
  return at === bytes.length
}
