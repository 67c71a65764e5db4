import type { Entry } from 'yauzl'
import { WorkbookError } from './workbook-error.ts'

/** Maximum number of files in an archive. A workbook has a few dozen. */
const MAX_ENTRIES = 1000
/** Maximum total size in bytes of all inflated files. */
export const MAX_INFLATED_BYTES = 20 * 1024 * 1024

/** A ZIP archive in memory, of which single files are inflated. */
export interface ZipArchive {
  has(name: string): boolean
  /**
   * Inflates a file piece by piece.
   * @throws {WorkbookError} `password_protected`, `too_large`, `damaged`
   */
  read(name: string): AsyncGenerator<Buffer>
}

/**
 * Opens a ZIP archive. Nothing is inflated before {@link ZipArchive.read}.
 * @throws {WorkbookError} `not_a_workbook`, `too_large`
 */
export async function openZip(bytes: Buffer): Promise<ZipArchive> {
  const { default: yauzl } = await import('yauzl')
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true }).catch(() => {
    throw new WorkbookError('not_a_workbook')
  })
  if (zip.entryCount > MAX_ENTRIES) throw new WorkbookError('too_large', { max: MAX_ENTRIES, unit: 'files' })
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  } catch {
    throw new WorkbookError('damaged')
  }
  let remaining = MAX_INFLATED_BYTES
  return {
    has: (name) => entries.has(name),
    async *read(name) {
      const entry = entries.get(name)
      if (!entry) throw new WorkbookError('damaged')
      if (entry.isEncrypted()) throw new WorkbookError('password_protected')
      // The declared size can be false, so the inflated bytes are counted as well.
      if (entry.uncompressedSize > remaining) throw tooLarge()
      try {
        for await (const chunk of await zip.openReadStreamPromise(entry)) {
          remaining -= (chunk as Buffer).length
          if (remaining < 0) throw tooLarge()
          yield chunk as Buffer
        }
      } catch (error) {
        throw error instanceof WorkbookError ? error : new WorkbookError('damaged')
      }
    },
  }
}

const tooLarge = () => new WorkbookError('too_large', { max: MAX_INFLATED_BYTES / 1024 / 1024, unit: 'MB' })
