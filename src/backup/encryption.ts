import { createHash, createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { constants, createZstdDecompress, zstdCompressSync } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError } from './format.ts'

/** The first bytes of a file that is encrypted with age. */
const AGE_MAGIC = 'age-encryption.org/v1'

/** Minimum length of a passphrase in characters. A shorter passphrase can be guessed. */
const MIN_PASSPHRASE_CHARACTERS = 12

const web = (stream: Readable) => Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>
const node = (stream: unknown) => Readable.fromWeb(stream as ReadableStream)

/** Returns whether bytes begin a file that is encrypted with age. */
export const isEncrypted = (start: Buffer): boolean =>
  start.subarray(0, AGE_MAGIC.length).toString('latin1') === AGE_MAGIC

/**
 * Encrypts a stream with a passphrase, in the format of `age --passphrase`.
 * @throws {BackupError} when the passphrase is too short
 */
export async function encrypt(stream: Readable, passphrase: string): Promise<Readable> {
  if (passphrase.length < MIN_PASSPHRASE_CHARACTERS)
    throw new BackupError(`The passphrase must have at least ${MIN_PASSPHRASE_CHARACTERS} characters.`)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return node(await encrypter.encrypt(web(stream)))
}

/**
 * Decrypts a stream.
 * @throws {BackupError} when the passphrase is wrong
 */
export async function decrypt(stream: Readable, passphrase: string): Promise<Readable> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return node(await decrypter.decrypt(web(stream)))
  } catch (error) {
    if (!/no identity matched/.test((error as Error).message)) throw error
    throw new BackupError('The passphrase is wrong. Set BACKUP_PASSPHRASE to the passphrase of this backup.')
  }
}

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

/** Returns an identifier of a secret key, from which the key cannot be computed. */
export function fingerprintOf(secretKey: string): string {
  const key = createHash('sha256').update(secretKey).digest()
  return createHmac('sha256', key).update('canvass-backup').digest('hex').slice(0, 32)
}
