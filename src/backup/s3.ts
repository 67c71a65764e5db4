import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { BackupError } from './error.ts'
import type { BackupStore, S3Settings } from './store.ts'

/** Size of a part in bytes. An object has at most 10,000 parts, so a backup has at most 156 GiB. */
const PART_BYTES = 16 * 1024 * 1024

/**
 * Opens a prefix of a bucket: `s3://bucket/prefix/`. The SDK reads credentials, region and endpoint from its usual settings
 * (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL`, profiles, roles of the machine).
 * @throws {BackupError} for a URL without a bucket
 */
export function openBucket(url: string, { region, hasEndpoint }: S3Settings): BackupStore {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(url) ?? []
  if (!bucket) throw new BackupError(`${url} has no bucket. Example: s3://bucket/folder/name.backup`)
  const client = new S3Client({
    region,
    // Other services than AWS often have neither a host per bucket nor the newer checksums. The backup has checksums of its own.
    forcePathStyle: hasEndpoint,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const locate = (name: string) => `${url}${name}`
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + name })
  return {
    locate,
    async write(name, content) {
      if (await exists(client, at(name), locate(name)))
        throw new BackupError(`${locate(name)} exists. Choose another name, or delete it first.`)
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
    async read(name) {
      const { Body } = await client.send(new GetObjectCommand(at(name))).catch((error) => {
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
      await client.send(new DeleteObjectCommand(at(name)))
    },
  }
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
  const { name, message, $metadata } = error as S3ServiceException
  if (name === 'NoSuchKey') return new BackupError(`${where} does not exist. Check the bucket and the key.`)
  if (name === 'NoSuchBucket') return new BackupError(`${where}: there is no such bucket. Create it first.`)
  if (name === 'CredentialsProviderError')
    return new BackupError(`${where}: there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  if ($metadata || (error as NodeJS.ErrnoException).syscall)
    return new BackupError(
      `${where}: ${message || name}. Check the bucket, its permissions, AWS_REGION and AWS_ENDPOINT_URL.`,
    )
  return error
}
