import { randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { constants, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { decompress } from '../../src/backup/encryption.ts'

const compress = (bytes: Buffer) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
const content = randomBytes(300_000)
const frame = compress(content)
/** A frame without content, which Node.js adds to the end of most streams. */
const emptyFrame = compress(Buffer.alloc(0))
const streams = [
  ['one frame', frame],
  ['a frame and an empty frame', Buffer.concat([frame, emptyFrame])],
] as const
/** The number of bytes at the end that the tests divide or cut off. */
const END_BYTES = 40

async function read(...compressed: Buffer[]): Promise<Buffer> {
  const chunks: Buffer[] = []
  const target = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  await decompress(Readable.from(compressed, { objectMode: false }), target)
  return Buffer.concat(chunks)
}

describe('the end of a backup', () => {
  test.each(streams)('is found however the bytes are divided into chunks: %s', async (_, bytes) => {
    for (let last = 1; last <= END_BYTES; last += 1)
      expect((await read(bytes.subarray(0, -last), bytes.subarray(-last))).equals(content)).toBe(true)
    const chunks = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, n) => bytes.subarray(n * 97, n * 97 + 97))
    expect((await read(...chunks)).equals(content)).toBe(true)
  })

  test.each(streams)('is required: %s without its last bytes is rejected', async (_, bytes) => {
    for (let cut = 1; cut <= END_BYTES; cut += 1)
      // If only the empty frame is cut off, the content is still complete.
      if (bytes.length - cut !== frame.length)
        await expect(read(bytes.subarray(0, -cut))).rejects.toThrow(/last bytes are missing|unexpected end of file/)
  })

  test('must not be followed by other bytes', async () => {
    for (const more of ['x', 'x'.repeat(emptyFrame.length), 'x'.repeat(100_000)])
      await expect(read(frame, Buffer.from(more))).rejects.toThrow()
  })
})
