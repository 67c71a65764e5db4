import { crc32, deflateSync } from 'node:zlib'
import type { Client } from './client.ts'

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/**
 * Returns a grey PNG. The bytes depend on the size, so images of different sizes are different files.
 * @param width, height in pixels
 */
export function png(width: number, height = 10): Buffer<ArrayBuffer> {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  // Each row begins with a byte for its filter; 0 means that no filter is used.
  const row = Buffer.alloc(width + 1, 120).fill(0, 0, 1)
  const pixels = deflateSync(Buffer.concat(Array(height).fill(row)))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}
const fullBox = (type: string, ...parts: Buffer[]) => box(type, Buffer.alloc(4), ...parts)

/**
 * An image of each accepted media type, with its file extension. Each image has one pixel; the AVIF file contains no
 * pixel data.
 */
export const IMAGES: Readonly<Record<string, readonly [string, Buffer<ArrayBuffer>]>> = {
  'image/png': ['png', png(1, 1)],
  'image/jpeg': [
    'jpg',
    Buffer.from(
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAABAAEDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIgAf//Z',
      'base64',
    ),
  ],
  'image/gif': ['gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
  'image/webp': ['webp', Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')],
  'image/avif': [
    'avif',
    Buffer.concat([
      box('ftyp', Buffer.from('avif\0\0\0\0avifmif1', 'latin1')),
      fullBox('meta', box('iprp', box('ipco', fullBox('ispe', Buffer.from('0000000100000001', 'hex'))))),
      box('mdat', Buffer.from('data')),
    ]),
  ],
}

/** Uploads an image for a survey. @param survey its ID */
export const uploadImage = (client: Client, survey: number, image: Uint8Array<ArrayBuffer>, headers = {}) =>
  client.post(`/api/v3/surveys/${survey}/images/`, {
    body: image,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  })

/** Returns a structure with a question whose first choice has an image. */
export const withImage = (url: string) => ({
  title: 'Cups',
  form: [
    {
      children: [
        {
          idname: 'image-choice',
          id: 'cup',
          title: 'Which cup?',
          children: [{ choices: [{ label: 'Green', image: { url, alt: 'A green cup' } }, { label: 'None' }] }],
        },
      ],
    },
  ],
})
