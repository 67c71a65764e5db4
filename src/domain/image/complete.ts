import type { ImageType } from './image.ts'

/**
 * Returns whether an image file is complete. Each format has a mark at its end, or contains its length. Without this
 * check, a file that was uploaded only in part would be accepted.
 */
export function isComplete(bytes: Buffer, type: ImageType): boolean {
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
