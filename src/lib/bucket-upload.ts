import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  type S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { BucketError, explain } from './bucket-error.ts'

/** The content of an object whose size and SHA-256 (hexadecimal digits) are known. */
export interface ObjectContent {
  bytes: number
  digest: string
  read(): Readable
}

/** Size of a part in bytes. An object has at most 10,000 parts, so at most 156 GiB. */
export const PART_BYTES = 16 * 1024 * 1024

const ignore = () => undefined

/** An error of the content of an object, and not of the service. */
export class ContentError extends Error {}

/** A bucket and the key of an object in it. */
export interface ObjectAddress {
  Bucket: string
  Key: string
}

/** The clients of a bucket. */
export interface Connection {
  client: S3Client
  /** Sends requests whose reply is read slowly. */
  reader: S3Client
  /**
   * Whether uploads have checksums, which Object Lock demands; not with `AWS_REQUEST_CHECKSUM_CALCULATION=when_required`.
   */
  hasChecksums: boolean
}

/** Stores a file in one request. The service rejects any other content than the one with the digest of the file. */
export async function putOnce(
  { client, hasChecksums }: Connection,
  at: ObjectAddress,
  { bytes, digest }: ObjectContent,
  content: Readable,
): Promise<void> {
  const checksum = hasChecksums && {
    ChecksumAlgorithm: 'SHA256' as const,
    ChecksumSHA256: Buffer.from(digest, 'hex').toString('base64'),
  }
  const command = new PutObjectCommand({ ...at, Body: content, ContentLength: bytes, ...checksum })
  // The signature contains the SHA-256 of the body, also for services that do not know checksums.
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, { 'x-amz-content-sha256': digest })
      return next(args)
    },
    { step: 'build' },
  )
  // The SDK does not listen for errors of the stream.
  const failed = new AbortController()
  content.once('error', (cause) => failed.abort(new ContentError('The content failed.', { cause })))
  await client.send(command, { abortSignal: failed.signal }).catch((error) => {
    failed.signal.throwIfAborted()
    throw error
  })
}

/** The object that an upload creates, and its condition. */
interface UploadTarget extends ObjectAddress {
  IfNoneMatch?: string
}

/** Stores a stream: in one request if it fits into one part, otherwise in parts. Memory contains three parts. */
export async function upload(to: Connection, target: UploadTarget, content: Readable): Promise<void> {
  // A stream that is no longer read ends with an error.
  content.on('error', ignore)
  const parts = partsOf(content)
  try {
    const first = await parts.next()
    const second = await parts.next()
    const body = first.value ?? Buffer.alloc(0)
    if (second.done) await to.client.send(new PutObjectCommand({ ...target, ...crc32Of(to), Body: body }))
    else await uploadParts(to, target, [body, second.value], parts)
  } finally {
    // Also ends the stream.
    await parts.return(undefined)
  }
}

/** Makes the SDK add a checksum of a buffer to a request. */
const crc32Of = ({ hasChecksums }: Connection) => hasChecksums && { ChecksumAlgorithm: 'CRC32' as const }

/** Divides a stream into parts of {@link PART_BYTES}; the last one can be shorter. */
async function* partsOf(content: Readable): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bytesOf(content)) {
    chunks.push(chunk)
    size += chunk.length
    if (size < PART_BYTES) continue
    let rest = Buffer.concat(chunks)
    for (; rest.length >= PART_BYTES; rest = rest.subarray(PART_BYTES)) yield rest.subarray(0, PART_BYTES)
    chunks = [rest]
    size = rest.length
  }
  if (size) yield Buffer.concat(chunks)
  return undefined
}

async function* bytesOf(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content as AsyncIterable<Buffer>
  } catch (cause) {
    throw new ContentError('The content failed.', { cause })
  }
}

/** Sends each part while the next one is read. If an upload fails, waits until the service has deleted its parts. */
async function uploadParts(
  to: Connection,
  { IfNoneMatch, ...at }: UploadTarget,
  begin: readonly Buffer[],
  rest: AsyncGenerator<Buffer, undefined>,
): Promise<void> {
  const { client } = to
  const checksum = crc32Of(to)
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...at, ...checksum }))
  const completed: CompletedPart[] = []
  const send = async (Body: Buffer, PartNumber: number) => {
    const part = await client.send(new UploadPartCommand({ ...at, ...checksum, UploadId, PartNumber, Body }))
    completed.push({ PartNumber, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 })
  }
  let sending = Promise.resolve()
  let number = 0
  const sendNext = async (part: Buffer) => {
    await sending
    number += 1
    sending = send(part, number)
    // The next call, or the end, reports the error.
    sending.catch(ignore)
  }
  try {
    for (const part of begin) await sendNext(part)
    for await (const part of rest) await sendNext(part)
    await sending
    const condition = IfNoneMatch !== undefined && { IfNoneMatch }
    const joined = { ...at, UploadId, MultipartUpload: { Parts: completed }, ...condition }
    await client.send(new CompleteMultipartUploadCommand(joined))
  } catch (error) {
    await sending.catch(ignore)
    await client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).catch((failure: S3ServiceException) => {
      if (failure.name !== 'NoSuchUpload') throw leftParts(error, `s3://${at.Bucket}/${at.Key}`)
    })
    throw error
  }
}

/** Returns the error of an upload whose parts could not be deleted. */
function leftParts(error: unknown, where: string): unknown {
  const { message } = (error instanceof ContentError ? error.cause : explain(error, where)) as Error
  return new BucketError(
    `${message} The parts that were already sent remain in the bucket.`,
    'Give the bucket a lifecycle rule that deletes incomplete multipart uploads.',
  )
}
