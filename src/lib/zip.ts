import type { Readable } from 'node:stream'
import yazl from 'yazl'

/** A file of an archive, opened when the stream of the archive reaches it. */
export interface ZipEntry {
  path: string
  /** Absent: true. */
  compress?: boolean
  open(): Promise<Readable>
}

/**
 * Streams a ZIP archive. An error of a file destroys the stream. If the stream is closed, the current file is closed.
 * @param mtime the time of all files
 */
export function zipStream(entries: readonly ZipEntry[], mtime: Date): Readable {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as unknown as Readable
  let current: Readable | undefined
  for (const { path, compress = true, open } of entries)
    zip.addReadStreamLazy(path, { mtime, compress }, (done) => {
      open().then(
        (stream) => {
          current = stream
          stream.once('error', (error) => output.destroy(error))
          done(null, stream)
        },
        (error) => output.destroy(error),
      )
    })
  zip.end()
  output.once('close', () => current?.destroy())
  return output
}
