import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import type { Context as Koa } from 'koa'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { receiveSlowly } from '../../lib/deadlines.ts'
import { type SpooledFile, SpoolFullError, spool } from '../../lib/temporary-files.ts'
import type { Body } from './body.ts'
import { type FormParams, findUnsafeField, MAX_FIELDS } from './form.ts'
import { HttpError, httpErrors } from './http-error.ts'

/** The limits of a form with files. */
export interface UploadLimits {
  /** Maximum size of a file; the rest of a longer file is discarded. */
  maxFileBytes: number
  /** Maximum size of all fields that are not files. */
  maxFieldBytes: number
  maxFiles: number
  /** Whether to discard all files and only count them, because the request will be rejected. */
  discardsFiles?: boolean
}

/** A received form with its files, on disk. */
export interface UploadForm {
  fields: FormParams
  files: readonly { field: string; file: SpooledFile }[]
  /** Number of files that were discarded. */
  discarded: number
}

/**
 * Limit for the total size of the files that a process receives at the same time. The unit is the maximum size of one
 * file.
 */
const MAX_LARGE_FILES = 100

/** Maximum time in milliseconds for which a client may send no data during an upload. */
const MAX_IDLE_MS = 30_000

/**
 * Maximum total size in bytes of the boundaries and part headers of a form. They are sent in addition to the contents
 * of the files and fields.
 */
const MAX_OVERHEAD_BYTES = 64 * 1024

/**
 * Receives a form with files. The files are written to disk as they arrive, so that large files need no more memory
 * than small files. After an error, no file remains on the disk.
 * @throws {HttpError} 400 malformed, 413 too large or too many values
 * @throws {Problem} `unavailable` if the disk is full, or if this process receives too many files
 */
export async function receiveForm(ctx: Koa, limits: UploadLimits): Promise<UploadForm> {
  const { req } = ctx
  const { maxFileBytes, maxFieldBytes, maxFiles, discardsFiles = false } = limits
  const maxBytes = maxFileBytes * maxFiles + maxFieldBytes + MAX_OVERHEAD_BYTES
  const maxSpooledBytes = maxFileBytes * MAX_LARGE_FILES
  assertReceivable(req, maxBytes)
  const fields: FormParams = Object.create(null)
  const files: Promise<{ field: string; file: SpooledFile }>[] = []
  let fieldBytes = 0
  let discarded = 0
  const parser = parserFor(req, { files: maxFiles, fields: MAX_FIELDS, fieldSize: maxFieldBytes, fieldNameSize: 4096 })
  const fail = (error: Error) => void parser.destroy(error)
  parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    fieldBytes += name.length + value.length
    if (nameTruncated || valueTruncated || fieldBytes > maxFieldBytes)
      return fail(httpErrors.bodyTooLarge(maxFieldBytes))
    const previous = fields[name]
    if (Array.isArray(previous)) previous.push(value)
    else fields[name] = previous === undefined ? value : [previous, value]
  })
  parser.on('file', (field, content, { filename }) => {
    if (discardsFiles) {
      content.once('data', () => {
        discarded += 1
      })
      // The parser also reports the error of an incomplete file, so the error is ignored here.
      return void content.on('error', () => undefined).resume()
    }
    const received = spool(content, filename ?? '', maxFileBytes, maxSpooledBytes).then((file) => ({ field, file }))
    received.catch(fail)
    files.push(received)
  })
  parser.on('filesLimit', () => fail(httpErrors.tooManyFiles(maxFiles)))
  parser.on('fieldsLimit', () => fail(httpErrors.tooManyFields(MAX_FIELDS)))
  try {
    await receiveSlowly(req, MAX_IDLE_MS, () => pipeline(req, limitOf(maxBytes), parser))
    const received = await Promise.all(files)
    const unsafe = findUnsafeField(fields)
    if (unsafe) throw httpErrors.invalid([unsafe])
    // If no file is chosen in a field, browsers send a file without name and content.
    const [unchosen, chosen] = [true, false].map((empty) =>
      received.filter(({ file }) => (file.bytes === 0 && file.name === '') === empty),
    )
    await removeAll(unchosen!)
    return { fields, files: chosen!, discarded }
  } catch (error) {
    discardRest(req)
    const settled = await Promise.allSettled(files)
    await removeAll(settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])))
    throw problemOf(error)
  }
}

/**
 * Writes the body of an upload operation to a file on disk, and counts the upload in the limit of the account. The file
 * on disk is deleted after the reply.
 * @returns undefined without a body
 * @throws as {@link receiveForm}; {HttpError} 415 for another media type; {Problem} `too_many_requests`, before the
 *   body is read
 */
export async function readUpload(ctx: Koa, { limits, files }: Services): Promise<Body | undefined> {
  const { headers } = ctx.req
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > 0)) return undefined
  if (!ctx.is(UPLOAD_TYPE)) throw httpErrors.unsupportedMediaType([UPLOAD_TYPE])
  await limits.uploads.consume(`account ${ctx.state.actor?.id}`)
  const file = await receiveFile(ctx, files.maxMegabytes * 1_000_000)
  ctx.state.upload = file
  return { type: UPLOAD_TYPE, value: file, bytes: file.bytes }
}

const UPLOAD_TYPE = 'application/octet-stream'

/** @throws as {@link receiveForm} */
async function receiveFile(ctx: Koa, maxFileBytes: number): Promise<SpooledFile> {
  assertReceivable(ctx.req, maxFileBytes)
  try {
    const maxSpooledBytes = maxFileBytes * MAX_LARGE_FILES
    const file = await receiveSlowly(ctx.req, MAX_IDLE_MS, () => spool(ctx.req, '', maxFileBytes, maxSpooledBytes))
    if (!file.isTruncated) return file
    await file.remove()
    throw httpErrors.bodyTooLarge(maxFileBytes)
  } catch (error) {
    discardRest(ctx.req)
    throw problemOf(error)
  }
}

const removeAll = (files: readonly { file: SpooledFile }[]) => Promise.all(files.map(({ file }) => file.remove()))

function assertReceivable({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw httpErrors.bodyTooLarge(maxBytes)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw httpErrors.unsupportedEncoding()
}

function parserFor({ headers }: IncomingMessage, limits: busboy.Limits): busboy.Busboy {
  try {
    return busboy({ headers, limits, defParamCharset: 'utf8' })
  } catch {
    throw malformed()
  }
}

/** Returns a stream that fails after a number of bytes. */
function limitOf(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(httpErrors.bodyTooLarge(maxBytes))
      else done(null, chunk)
    },
  })
}

const malformed = () =>
  httpErrors.malformed(
    'The body is incomplete, or it is not multipart form data with the boundary of its Content-Type.',
  )

/** Receives and discards the rest of the body, because a client does not read the reply while it is still sending. */
function discardRest(req: Readable): void {
  req.unpipe()
  req.resume()
}

/**
 * Returns the problem for an error. System errors mean that the disk is full or broken. All other errors mean that the
 * body is malformed or incomplete.
 */
function problemOf(error: unknown): unknown {
  if (error instanceof HttpError) return error
  if (error instanceof SpoolFullError) return problems.filesUnavailable()
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && code !== 'ECONNRESET' ? problems.filesUnavailable() : malformed()
}
