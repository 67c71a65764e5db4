import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdDecompress, zstdCompressSync } from 'node:zlib'

/** An error in a backup file. */
export class Damage extends Error {}

export const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** A frame without content, which Node.js adds to the end of most streams. */
const EMPTY_FRAME = zstdCompressSync('', { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

/**
 * Decompresses a Zstandard stream of one frame. Node.js ignores bytes that follow the frame in the same chunk, and
 * fails if a further chunk follows. Therefore this function passes the last bytes of the stream, as many as
 * {@link EMPTY_FRAME} has, in one chunk, and checks the bytes that Node.js has not read.
 * @throws {Damage} if the last bytes are missing, or other bytes follow
 */
export async function decompress(source: Readable, target: NodeJS.WritableStream): Promise<void> {
  const zstd = createZstdDecompress()
  let length = 0
  let end = Buffer.alloc(0)
  async function* withWholeEnd() {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      length += chunk.length
      const joined = Buffer.concat([end, chunk])
      const at = Math.max(0, joined.length - EMPTY_FRAME.length)
      end = joined.subarray(at)
      if (at > 0) yield joined.subarray(0, at)
    }
    yield end
  }
  await pipeline(Readable.from(withWholeEnd(), { objectMode: false }), zstd, target)
  const unread = length - zstd.bytesWritten
  if (unread > 0 && !end.subarray(-unread).equals(EMPTY_FRAME))
    throw new Damage('its last bytes are missing or were changed')
}
