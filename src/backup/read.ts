import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Extract, extract } from 'tar-stream'
import { BucketError } from '../lib/bucket-error.ts'
import { Damage, decompress, decrypt, isEncrypted, ZSTD_MAGIC } from './encryption.ts'
import {
  BackupError,
  type BackupHeader,
  FORMAT_VERSION,
  HEADER_ENTRY,
  MANIFEST_ENTRY,
  type Manifest,
  SECRET_KEY_ENTRY,
  tableOf,
} from './format.ts'
import { countLines } from './write.ts'

/** A part of a backup, in the order of the file. */
export type BackupItem =
  | { kind: 'header'; header: BackupHeader }
  | { kind: 'secretKey'; text: string }
  | { kind: 'rows'; table: string; chunk: Buffer }
  | { kind: 'manifest'; manifest: Manifest }

type Entry = Extract extends AsyncIterable<infer Item> ? Item : never

/** Number of bytes at the start of a file that are read to recognise its format. */
const MAGIC_BYTES = 32
/** Maximum size of `backup.json` and `manifest.json`. */
const MAX_JSON_BYTES = 16 * 1024 * 1024

/**
 * Reads a backup, and verifies each table with the row count and the checksum of the manifest. If this function throws,
 * the caller must discard all items that it has received.
 * @param name the name of the backup in messages
 * @param passphrase called for an encrypted backup
 * @throws {BackupError} when the file is no backup, is damaged or incomplete, was made by a newer version, or the
 *   passphrase is wrong
 */
export async function* readBackup(
  source: Readable,
  name: string,
  passphrase: () => Promise<string>,
): AsyncGenerator<BackupItem> {
  const { start, whole } = await peek(source)
  if (!isEncrypted(start) && !start.subarray(0, 4).equals(ZSTD_MAGIC))
    throw new BackupError(`${name} is not a backup of Canvass.`)
  const secret = isEncrypted(start) ? await passphrase() : undefined
  try {
    const compressed = secret === undefined ? whole : await decrypt(whole, secret)
    const archive = extract()
    const reading = decompress(compressed, archive as unknown as NodeJS.WritableStream)
    // An error of the pipeline ends the loop over the entries too.
    reading.catch(() => undefined)
    yield* verify(readEntries(archive))
    await reading
  } catch (error) {
    throw explain(error, name)
  } finally {
    source.destroy()
  }
}

async function* readEntries(archive: Extract): AsyncGenerator<BackupItem> {
  for await (const entry of archive) {
    const { name } = entry.header
    const table = tableOf(name)
    if (table !== undefined)
      for await (const chunk of entry as AsyncIterable<Buffer>) yield { kind: 'rows', table, chunk }
    else if (name === HEADER_ENTRY) yield { kind: 'header', header: JSON.parse(await textOf(entry)) }
    else if (name === SECRET_KEY_ENTRY) yield { kind: 'secretKey', text: await textOf(entry) }
    else if (name === MANIFEST_ENTRY) yield { kind: 'manifest', manifest: JSON.parse(await textOf(entry)) }
    // Later versions may add entries, so unknown entries are ignored.
    else entry.resume()
  }
}

async function textOf(entry: Entry): Promise<string> {
  if ((entry.header.size ?? 0) > MAX_JSON_BYTES) throw new Damage(`${entry.header.name} is too large`)
  const chunks: Buffer[] = []
  for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Passes items on, and compares them with the header and the manifest. */
async function* verify(items: AsyncIterable<BackupItem>): AsyncGenerator<BackupItem> {
  const tables = new Map<string, { rows: number; bytes: number; hash: Hash }>()
  let started = false
  let complete = false
  for await (const item of items) {
    if (complete) throw new Damage('it contains data after its end')
    if (item.kind === 'header') {
      checkHeader(item.header)
      for (const { name } of item.header.tables) tables.set(name, { rows: 0, bytes: 0, hash: createHash('sha256') })
      started = true
    } else if (!started) throw new Damage('it does not begin with a header')
    if (item.kind === 'rows') {
      const seen = tables.get(item.table)
      if (!seen) throw new Damage(`it contains the unlisted table ${item.table}`)
      seen.rows += countLines(item.chunk)
      seen.bytes += item.chunk.length
      seen.hash.update(item.chunk)
    }
    if (item.kind === 'manifest') {
      for (const [table, { rows, bytes, hash }] of tables) {
        const expected = item.manifest.tables[table]
        if (expected?.rows !== rows || expected.bytes !== bytes || expected.sha256 !== hash.digest('hex'))
          throw new Damage(`the rows of ${table} do not match their checksum`)
      }
      complete = true
    }
    yield item
  }
  if (!complete) throw new Damage('its end is missing')
}

function checkHeader(header: BackupHeader): void {
  if (header.format !== 'canvass-backup') throw new Damage('its header has an unknown format')
  if (header.formatVersion > FORMAT_VERSION)
    throw new BackupError(
      `This backup was made by Canvass ${header.programVersion}, whose backup format is newer than this program's. Use Canvass ${header.programVersion} or newer.`,
    )
}

function explain(error: unknown, name: string): unknown {
  if (error instanceof BackupError || error instanceof BucketError) return error
  const { message, code, syscall } = error as NodeJS.ErrnoException
  if (syscall) return new BackupError(`${name} cannot be read (${code}).`)
  return new BackupError(`${name} is damaged or incomplete: ${message}. Use another backup.`)
}

/** Returns the first bytes of a stream, and a stream of all its bytes. */
async function peek(source: Readable): Promise<{ start: Buffer; whole: Readable }> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let start = Buffer.alloc(0)
  while (start.length < MAGIC_BYTES) {
    const { value, done } = await chunks.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  async function* all() {
    yield start
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  return { start, whole: Readable.from(all(), { objectMode: false }) }
}
