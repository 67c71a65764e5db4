import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { BucketError } from './bucket-error.ts'

/** The settings that the program passes to the SDK of S3. */
export interface S3Settings {
  region: string
  /** Whether a service other than AWS is used. Such a service may not have a host name for each bucket. */
  hasEndpoint: boolean
}

/** A prefix of a bucket. If a request to the service fails, the method rejects with a {@link BucketError}. */
export interface Bucket {
  /** Returns the URL of an object, for messages. */
  locate(name: string): string
  /**
   * Stores a stream of unknown length in parts. A failed write leaves nothing.
   * @throws {BucketError} also if the object exists
   */
  write(name: string, content: Readable): Promise<void>
  /** Stores a file: up to 5 GB in one request, a larger file in parts. Memory does not grow with the file. */
  put(name: string, file: ObjectContent): Promise<void>
  /** @throws {BucketError} `isMissing` if the object does not exist */
  read(name: string): Promise<Readable>
  /** Returns the names of all objects below the prefix, except names that contain `/`. */
  list(): Promise<string[]>
  /** Deletes an object. Succeeds if the object does not exist. */
  remove(name: string): Promise<void>
  close(): void
}

/** The content of an object whose size and SHA-256 (hexadecimal digits) are known. */
export interface ObjectContent {
  bytes: number
  digest: string
  read(): Readable
}

/** Size of a part in bytes. An object has at most 10,000 parts, so at most 156 GiB. */
const PART_BYTES = 16 * 1024 * 1024
/** Maximum size of an object that is stored in one request. */
const MAX_PUT_BYTES = 5_000_000_000
/** Time limit for the connection in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000
/** Number of attempts to store a file, and the time between two attempts in milliseconds. */
const MAX_ATTEMPTS = 3
const RETRY_DELAY_MS = 200

const ignore = () => undefined
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * Opens a prefix of a bucket: `s3://bucket/prefix/`. The SDK reads credentials and endpoint from its usual settings
 * (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, profiles, roles of the machine).
 * @param idleTimeoutMs maximum time in milliseconds without traffic, for writes and for reads that wait for the reply.
 *   The caller can pause while reading an object. 0: no limit, for backups, because a service can take long to join
 *   their parts
 * @throws {BucketError} for a URL without a bucket
 */
export function openBucket(url: string, { region, hasEndpoint }: S3Settings, idleTimeoutMs = 0): Bucket {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(url) ?? []
  if (!bucket) throw new BucketError(`${url} has no bucket. Example: s3://bucket/folder/name.backup`)
  const settings: S3ClientConfig = {
    region,
    // Other services than AWS often have neither a host per bucket nor the newer checksums. Backups have checksums of
    // their own, and the signature of the request that stores a file contains the SHA-256 of the file.
    forcePathStyle: hasEndpoint,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK would also log a warning with the same text as the error.
    logger: SILENT,
  }
  const client = new S3Client({
    ...settings,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: idleTimeoutMs },
  })
  // The time limit of a read ends when the reply begins. The number of connections is unlimited, so that a slow read
  // does not make other requests wait for a connection.
  const agent = { maxSockets: Number.POSITIVE_INFINITY }
  const reader = new S3Client({
    ...settings,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: idleTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  const locate = (name: string) => `${url}${name}`
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + name })
  return {
    locate,
    async write(name, content) {
      if (await exists(client, at(name), locate(name)))
        throw new BucketError(`${locate(name)} exists. Choose another name, or delete it first.`)
      const body = new PassThrough()
      const upload = new Upload({ client, params: { ...at(name), Body: body }, partSize: PART_BYTES, queueSize: 2 })
      try {
        // If the content fails, the body is destroyed, and the upload deletes its parts.
        await Promise.all([pipeline(content, body), upload.done()])
      } catch (error) {
        await upload.abort().catch(() => undefined)
        throw explain(error, locate(name))
      }
    },
    async put(name, { bytes, digest, read }) {
      // The SDK does not retry requests with a stream.
      for (let attempt = 1; ; attempt += 1) {
        const params = { ...at(name), Body: read(), ContentLength: bytes }
        const failed = new AbortController()
        // The SDK does not listen for errors of the stream.
        params.Body.once('error', (error) => failed.abort(error))
        try {
          if (bytes <= MAX_PUT_BYTES)
            await client.send(signedBy(new PutObjectCommand(params), digest), { abortSignal: failed.signal })
          else await new Upload({ client, params, partSize: PART_BYTES, queueSize: 1 }).done()
          return
        } catch (error) {
          failed.signal.throwIfAborted()
          if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw explain(error, locate(name))
          await wait(RETRY_DELAY_MS)
        } finally {
          params.Body.destroy()
        }
      }
    },
    async read(name) {
      const { Body } = await reader.send(new GetObjectCommand(at(name))).catch((error) => {
        throw explain(error, locate(name))
      })
      return Body as Readable
    },
    async list() {
      const names: string[] = []
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix, Delimiter: '/' })
      for await (const { Contents = [] } of pages)
        for (const { Key = '' } of Contents) names.push(Key.slice(prefix.length))
      return names
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(at(name))).catch((error) => {
        throw explain(error, locate(name))
      })
    },
    close() {
      client.destroy()
      reader.destroy()
    },
  }
}

/** Makes the signature of a request contain the SHA-256 of its body, so that the service rejects any other content. */
function signedBy(command: PutObjectCommand, digest: string): PutObjectCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, { 'x-amz-content-sha256': digest })
      return next(args)
    },
    { step: 'build' },
  )
  return command
}

/**
 * Returns whether a request can succeed when it is repeated: its connection was lost, or the reply reports a failure of
 * the service. After a timeout, the client has already waited long enough.
 */
const isTransient = (error: unknown): boolean => {
  const { name, $metadata } = error as S3ServiceException
  const { httpStatusCode = 500 } = $metadata ?? {}
  return name !== 'TimeoutError' && (httpStatusCode >= 500 || httpStatusCode === 429)
}

async function exists(client: S3Client, at: { Bucket: string; Key: string }, where: string): Promise<boolean> {
  try {
    await client.send(new HeadObjectCommand(at))
    return true
  } catch (error) {
    if ((error as S3ServiceException).$metadata?.httpStatusCode === 404) return false
    throw explain(error, where)
  }
}

function explain(error: unknown, where: string): unknown {
  const { name, message, code, syscall, $metadata } = error as S3ServiceException & NodeJS.ErrnoException
  if (name === 'NoSuchKey') return new BucketError(`${where} does not exist. Check the bucket and the key.`, true)
  if (name === 'NoSuchBucket') return new BucketError(`${where}: there is no such bucket. Create it first.`)
  if (name === 'CredentialsProviderError')
    return new BucketError(`${where}: there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  // No address of a host name could be reached, or the service did not reply in time.
  const isNetworkError = syscall !== undefined || name === 'AggregateError' || name === 'TimeoutError'
  if ($metadata || isNetworkError)
    return new BucketError(
      `${where}: ${(message || code || name).replace(/\.$/, '')}. Check the bucket, its permissions, AWS_REGION and AWS_ENDPOINT_URL.`,
    )
  return error
}
