import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import S3rver from 's3rver'

/** A bucket of an S3-compatible server. */
export interface TestBucket {
  /** The environment variables with which the AWS SDK finds the server. They are also set in this process. */
  credentials: Record<string, string>
  /** Returns the names of all objects. */
  objects(): string[]
  /** Stops the server. The objects remain. */
  stop(): Promise<void>
  /** Starts the server again. */
  start(): Promise<void>
}

const OBJECT = /\._S3rver_object$/

/**
 * Starts an S3-compatible server with an empty bucket before the tests of a file. Call it at the top of a test file.
 */
export function useBucket(name: string): TestBucket {
  let service: S3rver
  let directory: string
  let port = 0
  const bucket: TestBucket = {
    credentials: {},
    objects: () =>
      readdirSync(join(directory, name), { recursive: true, encoding: 'utf8' })
        .filter((path) => OBJECT.test(path))
        .map((path) => path.replace(OBJECT, ''))
        .sort(),
    stop: () => service.close(),
    async start() {
      const configureBuckets = [{ name, configs: [] }]
      service = new S3rver({ port, address: '127.0.0.1', silent: true, directory, configureBuckets })
      port = (await service.run()).port
    },
  }
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'canvass-bucket-'))
    await bucket.start()
    Object.assign(bucket.credentials, {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_REGION: 'us-east-1',
    })
    Object.assign(process.env, bucket.credentials)
  })
  afterAll(async () => {
    for (const setting of Object.keys(bucket.credentials)) delete process.env[setting]
    await bucket.stop()
    await rm(directory, { recursive: true })
  })
  return bucket
}
