import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type LifecycleRule,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { BucketError, explain } from './bucket-error.ts'
import {
  type Connection,
  ContentError,
  type ObjectAddress,
  type ObjectContent,
  putOnce,
  upload,
} from './bucket-upload.ts'
import { type ByteRange, sliceOf } from './http.ts'

/** The settings that the program passes to the SDK of S3. */
export interface S3Settings {
  /** The profile of AWS, for messages. */
  profile?: string | undefined
  /** Undefined: the region of the profile. */
  region: string | undefined
  /**
   * Whether the bucket is in the path or in the host name of a URL. `auto`: in the path, unless the service is AWS,
   * because other services often have no host name for each bucket.
   */
  addressing: 'auto' | 'path' | 'virtual'
}

/** How a bucket keeps deleted objects. */
export interface Versioning {
  /** Whether deleted and replaced objects remain as old versions. */
  keepsVersions: boolean
  /** Days after which old versions are deleted; undefined: no visible rule deletes them. */
  days?: number | undefined
}

/** A prefix of a bucket. If a request to the service fails, the method rejects with a {@link BucketError}. */
export interface Bucket {
  /** Returns the URL of an object, for messages. */
  locate(name: string): string
  /**
   * Stores a stream of unknown length in parts. A failed write leaves nothing; if the service cannot delete the parts,
   * the error says so.
   * @throws {BucketError} also if the object exists
   */
  write(name: string, content: Readable): Promise<void>
  /** Stores a file: up to 5 GB in one request, a larger file in parts. Memory does not grow with the file. */
  put(name: string, file: ObjectContent): Promise<void>
  /**
   * @param range the part to read; absent: the whole object
   * @throws {BucketError} `isMissing` if the object does not exist
   */
  read(name: string, range?: ByteRange): Promise<Readable>
  /** Returns the names of all objects below the prefix, except names that contain `/`. */
  list(): Promise<string[]>
  /** Deletes an object. Succeeds if the object does not exist. In a bucket with versions, the old version remains. */
  remove(name: string): Promise<void>
  /** Begins to store an object in parts and aborts, as a failed {@link write} does. */
  tryParts(name: string): Promise<void>
  /** Returns how the bucket keeps deleted objects; undefined if the service does not tell. */
  versioning(): Promise<Versioning | undefined>
  close(): void
}

/** Maximum size of an object that is stored in one request. */
const MAX_PUT_BYTES = 5_000_000_000
/** Time limit for the connection in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000
/** Number of attempts of a request. The time between two attempts doubles. */
const MAX_ATTEMPTS = 5
/** Time after the first failed attempt to store a file, in milliseconds. It varies by a half, so that uploads spread. */
const RETRY_DELAY_MS = 200
const DEFAULT_REGION = 'us-east-1'

const ignore = () => undefined
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * Opens a prefix of a bucket: `s3://bucket/prefix/`. The SDK reads credentials, region and endpoint from its usual
 * settings (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, profiles, roles of the machine) at the first request.
 * @param idleTimeoutMs maximum time in milliseconds without traffic, for writes and for reads that wait for the reply.
 *   The caller can pause while reading an object. 0: no limit, for backups, because a service can take long to join
 *   their parts
 * @throws {BucketError} for a URL without a bucket
 */
export function openBucket(url: string, settings: S3Settings, idleTimeoutMs = 0): Bucket {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(url) ?? []
  if (!bucket) throw new BucketError(`${url} has no bucket.`, 'Example: s3://bucket/folder/name.backup')
  let connection: Promise<Connection> | undefined
  const locate = (name: string) => `${url}${name}`
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + name })
  /** Runs requests about an object, or about the bucket, and explains their errors. */
  const run = async <Result>(where: string, requests: (connection: Connection) => Promise<Result>): Promise<Result> => {
    try {
      connection ??= connect(settings, idleTimeoutMs)
      return await requests(await connection)
    } catch (error) {
      throw error instanceof ContentError ? error.cause : explain(error, where, settings.profile)
    }
  }
  return {
    locate,
    write: (name, content) =>
      run(locate(name), async (to) => {
        const found = await exists(to.client, at(name))
        if (found) throw new BucketError(`${locate(name)} exists.`, 'Choose another name, or delete it first.')
        // If the credentials may not look for objects, the service itself rejects an object that exists.
        await upload(to, { ...at(name), ...(found === undefined && { IfNoneMatch: '*' }) }, content)
      }),
    put: (name, file) =>
      run(locate(name), async (to) => {
        for (let attempt = 1; ; attempt += 1) {
          const content = file.read()
          try {
            if (file.bytes <= MAX_PUT_BYTES) await putOnce(to, at(name), file, content)
            else await upload(to, at(name), content)
            return
          } catch (error) {
            if (attempt === MAX_ATTEMPTS || !isTransient(error)) {
              // Some services close the connection when they reject a large body, and send their reply to no one.
              if (/^(ECONNRESET|EPIPE)$/.test((error as NodeJS.ErrnoException).code ?? ''))
                await tryToRead(to.client, at(name))
              throw error
            }
            await wait(RETRY_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
          } finally {
            content.destroy()
          }
        }
      }),
    read: (name, range) =>
      run(locate(name), async ({ reader }) => {
        const part = range && { Range: `bytes=${range.start}-${range.end - 1}` }
        const { Body, ContentRange } = await reader.send(new GetObjectCommand({ ...at(name), ...part }))
        const content = Body as Readable
        // Some services ignore Range.
        return !range || ContentRange ? content : Readable.from(sliceOf(content, range), { objectMode: false })
      }),
    list: () =>
      run(url, async ({ client }) => {
        const names: string[] = []
        const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix, Delimiter: '/' })
        for await (const { Contents = [] } of pages)
          for (const { Key = '' } of Contents) names.push(Key.slice(prefix.length))
        return names
      }),
    remove: (name) =>
      run(locate(name), async ({ client }) => void (await client.send(new DeleteObjectCommand(at(name))))),
    tryParts: (name) =>
      run(locate(name), async ({ client }) => {
        const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(name)))
        await client.send(new AbortMultipartUploadCommand({ ...at(name), UploadId }))
      }),
    versioning: () =>
      run(url, ({ client }) => versioningOf(client, bucket, prefix)).catch((error) => {
        // Few services let everyone read the settings of a bucket, or have these settings at all.
        if (error instanceof BucketError) return undefined
        throw error
      }),
    close() {
      connection?.then(
        ({ client, reader }) => {
          client.destroy()
          reader.destroy()
        },
        () => undefined,
      )
    },
  }
}

async function connect({ region, addressing }: S3Settings, idleTimeoutMs: number): Promise<Connection> {
  const settings: S3ClientConfig = {
    region: region ?? (await regionOfProfile()),
    maxAttempts: MAX_ATTEMPTS,
    // The SDK would add checksums to every request, and other services than AWS often lack the newer ones. Uploads have
    // checksums (below), and backups have checksums of their own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK would also log a warning with the same text as the error.
    logger: SILENT,
  }
  settings.forcePathStyle = addressing === 'path' || (addressing === 'auto' && !(await isAws(settings)))
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
  const wanted = await new S3Client({ region: DEFAULT_REGION }).config.requestChecksumCalculation()
  return { client, reader, hasChecksums: wanted !== 'WHEN_REQUIRED' }
}

const regionOfProfile = () => new S3Client({ logger: SILENT }).config.region().catch(() => DEFAULT_REGION)

/** Returns whether the SDK sends requests to AWS, and not to an endpoint of the settings or of the profile. */
async function isAws(settings: S3ClientConfig): Promise<boolean> {
  const client = new S3Client(settings)
  let host = ''
  client.middlewareStack.add(
    () => (args) => {
      host = (args.request as { hostname: string }).hostname
      // Nothing is sent.
      return Promise.resolve({ response: undefined, output: { $metadata: {} } })
    },
    { step: 'build' },
  )
  await client.send(new HeadBucketCommand({ Bucket: 'bucket' }))
  return /\.amazonaws\.com(\.cn)?$/.test(host)
}

/**
 * Returns whether an object exists; undefined if the credentials may not look for it. The reply to HEAD has no body and
 * thus no reason, so that GET follows an error.
 */
async function exists(client: S3Client, at: ObjectAddress): Promise<boolean | undefined> {
  try {
    await client.send(new HeadObjectCommand(at))
    return true
  } catch (error) {
    const { httpStatusCode } = (error as S3ServiceException).$metadata ?? {}
    if (httpStatusCode === undefined) throw error
    return httpStatusCode === 404 ? false : tryToRead(client, at)
  }
}

/** As {@link exists}, with the reason of a refusal. */
async function tryToRead(client: S3Client, at: ObjectAddress): Promise<boolean | undefined> {
  try {
    const { Body } = await client.send(new GetObjectCommand({ ...at, Range: 'bytes=0-0' }))
    ;(Body as Readable).destroy()
    return true
  } catch (error) {
    const { name } = error as S3ServiceException
    if (name === 'NoSuchKey') return false
    if (name === 'AccessDenied') return undefined
    throw error
  }
}

/** Returns how a bucket keeps the deleted objects of a prefix. */
async function versioningOf(client: S3Client, bucket: string, prefix: string): Promise<Versioning> {
  // A bucket whose versioning is suspended keeps the versions from before.
  const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))
  if (!Status) return { keepsVersions: false }
  // The rules may be hidden from these credentials, and few other services than AWS have rules.
  const { Rules = [] } = await client
    .send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))
    .catch((error: S3ServiceException) => {
      if (error.$metadata?.httpStatusCode === undefined) throw error
      return { Rules: [] }
    })
  const days = Rules.flatMap((rule) => (appliesTo(rule, prefix) ? (rule.NoncurrentVersionExpiration ?? []) : []))
    .map(({ NoncurrentDays }) => NoncurrentDays)
    .filter((number) => number !== undefined)
  return { keepsVersions: true, days: days.length ? Math.min(...days) : undefined }
}

/** Returns whether a lifecycle rule applies to all objects below a prefix. */
const appliesTo = ({ Status, Filter, Prefix }: LifecycleRule, prefix: string): boolean =>
  Status === 'Enabled' &&
  prefix.startsWith(Filter?.Prefix ?? Prefix ?? '') &&
  Object.keys(Filter ?? {}).every((member) => member === 'Prefix')

/**
 * Returns whether a request can succeed when it is repeated: its connection was lost, or the reply reports a failure of
 * the service, or a wrong clock, which the SDK then corrects. After a timeout, the client has already waited long
 * enough.
 */
const isTransient = (error: unknown): boolean => {
  const { name, $metadata } = error as S3ServiceException
  const { httpStatusCode = 500 } = $metadata ?? {}
  if (name === 'TimeoutError' || error instanceof ContentError) return false
  return httpStatusCode >= 500 || httpStatusCode === 429 || name === 'RequestTimeTooSkewed'
}
