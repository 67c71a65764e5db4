import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A received file in a temporary folder that only this user can read. */
export class SpooledFile {
  readonly path: string
  /** The name as the client sent it. It is not safe to use as a path. */
  readonly name: string
  readonly bytes: number
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string
  /** Whether the file was longer than the limit. The rest was discarded. */
  readonly isTruncated: boolean
  readonly #folder: string
  #isRemoved = false

  constructor(folder: string, { name, bytes, digest, isTruncated }: ReceivedFile) {
    this.#folder = folder
    this.path = join(folder, CONTENT)
    this.name = name
    this.bytes = bytes
    this.digest = digest
    this.isTruncated = isTruncated
  }

  /** @param chunkBytes size of the chunks; the last chunk can be smaller */
  read(chunkBytes?: number): Readable {
    return createReadStream(this.path, chunkBytes ? { highWaterMark: chunkBytes } : {})
  }

  /** Deletes the file. A second call does nothing. */
  async remove(): Promise<void> {
    if (this.#isRemoved) return
    this.#isRemoved = true
    await rm(this.#folder, { recursive: true, force: true })
    spooledBytes -= this.bytes
  }
}

const CONTENT = 'content'

/** Number of bytes in the temporary files of this process. */
let spooledBytes = 0

/** The temporary files of this process have reached their limit. */
export class SpoolFullError extends Error {}

interface ReceivedFile {
  name: string
  bytes: number
  digest: string
  isTruncated: boolean
}

/**
 * Writes a stream to a temporary file. Memory does not grow with the file. If the stream or the disk fails, nothing
 * remains.
 * @param maxBytes the rest of a longer stream is read and discarded
 * @param maxSpooledBytes size limit of all temporary files of this process
 * @throws {SpoolFullError}
 */
export async function spool(
  source: Readable,
  name: string,
  maxBytes: number,
  maxSpooledBytes: number,
): Promise<SpooledFile> {
  // An error before the folder exists has no other listener; the pipeline reports it.
  source.on('error', () => undefined)
  const folder = await mkdtemp(join(tmpdir(), `canvass-upload-${process.pid}-`))
  const hash = createHash('sha256')
  let bytes = 0
  let isTruncated = false
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const accepted = chunk.subarray(0, maxBytes - bytes)
      isTruncated ||= accepted.length < chunk.length
      if (spooledBytes + accepted.length > maxSpooledBytes) return done(new SpoolFullError('too many files at once'))
      bytes += accepted.length
      spooledBytes += accepted.length
      hash.update(accepted)
      done(null, accepted)
    },
  })
  try {
    await pipeline(source, limit, createWriteStream(join(folder, CONTENT), { mode: 0o600 }))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    spooledBytes -= bytes
    throw error
  }
  return new SpooledFile(folder, { name, bytes, digest: hash.digest('hex'), isTruncated })
}

/**
 * Creates a folder that only its owner can list, and its missing parents. If the folder exists, it is not changed. The
 * parents are created separately, because `mkdir` with `recursive` would give them the mode of the folder.
 * @param mode 0o711 also lets other users enter folders below it
 */
export function makePrivateFolder(folder: string, mode: 0o700 | 0o711 = 0o700): void {
  mkdirSync(dirname(resolve(folder)), { recursive: true })
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
