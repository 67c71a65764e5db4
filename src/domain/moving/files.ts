import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { decodeText } from '../../lib/text-encoding.ts'
import { zipStream } from '../../lib/zip.ts'
import { jsonOf } from './json-values.ts'
import { LIMITS, MovingError, type SourceFile } from './source.ts'

const MAX_BYTES = LIMITS.megabytes * 1024 * 1024

/** Returns whether bytes are a ZIP archive. */
export const isArchive = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))

/** Returns files as one upload. */
export const archiveOf = async (files: Readonly<Record<string, Buffer>>): Promise<Buffer> =>
  buffer(
    zipStream(
      Object.entries(files).map(([path, bytes]) => ({ path, open: async () => Readable.from([bytes]) })),
      new Date(0),
    ),
  )

/**
 * Returns the files of an upload: those of a ZIP archive, or the upload itself. An Excel workbook, which is an archive
 * too, is one file.
 * @throws {MovingError} `too_many_files`, `survey_file_too_large`, `damaged_survey_file`, `password_protected`
 */
export async function filesIn(upload: Buffer): Promise<SourceFile[]> {
  const left = { bytes: MAX_BYTES }
  const files = isArchive(upload) ? await unpack(upload, left) : [{ name: 'file', bytes: upload }]
  if (files.some(({ name }) => name === '[Content_Types].xml'))
    return [sourceFile({ name: 'file.xlsx', bytes: upload })]
  const inner: { name: string; bytes: Buffer }[] = []
  for (const file of files) {
    // Qualtrics and LimeSurvey export archives, which people put into an archive together.
    const parts = isArchive(file.bytes) && isArchive(upload) ? await unpack(file.bytes, left) : []
    if (parts.length > 0 && !isWorkbookIn(parts))
      inner.push(...parts.map(({ name, bytes }) => ({ name: `${file.name}/${name}`, bytes })))
    else inner.push(file)
  }
  if (inner.length > LIMITS.files) throw new MovingError('too_many_files', 'file', { max: LIMITS.files })
  return inner.map(sourceFile)
}

/** Returns whether files are the parts of an Excel workbook. */
const isWorkbookIn = (files: readonly { name: string }[]): boolean =>
  files.some(({ name }) => name === '[Content_Types].xml')

/** The content of files that are not read: what operating systems add to archives. */
const IGNORED = /(?:^|\/)(?:__MACOSX\/|\.|Thumbs\.db$)/

async function unpack(bytes: Buffer, left: { bytes: number }): Promise<{ name: string; bytes: Buffer }[]> {
  const { default: yauzl } = await import('yauzl')
  const damaged = (file = 'file') => new MovingError('damaged_survey_file', file, { place: 'ZIP' })
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true }).catch(() => {
    throw damaged()
  })
  const files: { name: string; bytes: Buffer }[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName: name } = entry
      if (name.endsWith('/') || IGNORED.test(name)) continue
      if (files.length >= LIMITS.files * 20) throw new MovingError('too_many_files', 'file', { max: LIMITS.files })
      if (entry.isEncrypted()) throw new MovingError('password_protected', name)
      // The declared size can be false, so the inflated bytes are counted.
      const chunks: Buffer[] = []
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        left.bytes -= (chunk as Buffer).length
        if (left.bytes < 0) throw new MovingError('survey_file_too_large', name, { max: LIMITS.megabytes })
        chunks.push(chunk as Buffer)
      }
      files.push({ name, bytes: Buffer.concat(chunks) })
    }
  } catch (error) {
    throw error instanceof MovingError ? error : damaged()
  }
  return files
}

function sourceFile({ name, bytes }: { name: string; bytes: Buffer }): SourceFile {
  const text = isArchive(bytes) || (bytes.includes(0) && !isUtf16(bytes)) ? undefined : decodeText(bytes)
  return { name, bytes, text, json: text === undefined ? undefined : jsonOf(text) }
}

const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
