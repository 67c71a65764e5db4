import { PassThrough, pipeline, type Readable } from 'node:stream'
import { type Kysely, sql } from 'kysely'
import { BucketError } from '../../lib/bucket-error.ts'
import type { ByteRange } from '../../lib/http.ts'
import type { SpooledFile } from '../../lib/temporary-files.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/** Returns the name of the bucket object that contains a file. The trigger `queue_file_deletion` uses the same name. */
export const fileObject = (surveyId: number, key: string): string => `${surveyId}/${key}`

/**
 * Returns the name of the bucket object that contains an image. The trigger `queue_image_deletion` uses the same name.
 */
export const imageObject = (key: string): string => `images/${key}`

/** An object that is deleted unless {@link keepObject} keeps it. */
export interface UploadedObject {
  /** The URL of the bucket and the prefix. */
  store: string
  /** The ID of the queued deletion. */
  deletion: number
}

/**
 * Stores a file in the bucket of the installation (`FILES_URL`). The deletion of the object is queued and committed
 * first, in case the process stops before {@link keepObject}.
 * @param store the URL of the bucket and the prefix
 * @param name the name of the object
 * @throws {Problem} `unavailable` if the bucket fails
 */
export async function uploadObject(
  { services: { files, pool } }: PublicContext,
  store: string,
  name: string,
  file: SpooledFile,
): Promise<UploadedObject> {
  // A separate connection is used, because a request with an Idempotency-Key has a transaction that can be rolled back.
  const { rows } = await pool.query<{ id: number }>(
    `insert into file_deletion (store, name, uploading, due_at) values ($1, $2, true, now() + interval '1 hour') returning id`,
    [store, name],
  )
  try {
    const bucket = await files.openBucket(store)
    await bucket.put(name, { bytes: file.bytes, digest: file.digest, read: () => file.read() })
  } catch (error) {
    files.reportStoreFailure('write', error)
    throw problems.filesUnavailable()
  }
  return { store, deletion: rows[0]!.id }
}

/**
 * Keeps an uploaded object. Call it in the transaction that stores its file.
 * @throws {Problem} `unavailable` if the upload took so long that the deletion has begun
 */
export async function keepObject(db: Kysely<Tables>, { deletion }: UploadedObject): Promise<void> {
  const kept = await db
    .deleteFrom('file_deletion')
    .where('id', '=', deletion)
    .where('uploading', '=', true)
    .returning('id')
    .executeTakeFirst()
  if (!kept) throw problems.filesUnavailable()
}

/**
 * Opens an object.
 * @throws {Problem} `file_not_found`; `unavailable` if the bucket fails
 */
export async function readObject(
  { services: { files } }: PublicContext,
  store: string,
  name: string,
  range?: ByteRange,
): Promise<Readable> {
  try {
    const bucket = await files.openBucket(store)
    const content = await bucket.read(name, range)
    const copy = new PassThrough()
    // If the client disconnects, the copy is destroyed first, and then the content emits the same error as when the
    // bucket fails. Only a failure of the bucket is reported.
    content.once('error', (error) => {
      if (!copy.destroyed) files.reportStoreFailure('read', error)
    })
    return pipeline(content, copy, () => undefined)
  } catch (error) {
    if (error instanceof BucketError && error.isMissing) throw problems.fileNotFound()
    files.reportStoreFailure('read', error)
    throw problems.filesUnreadable()
  }
}

/** Maximum number of objects that a statement takes from the queue. */
const BATCH_ROWS = 100
/** Number of objects that a worker deletes at the same time. */
const CONCURRENCY = 8

interface Deletion {
  id: number
  store: string
  name: string
}

/**
 * Deletes the objects whose deletion is due. A failed deletion is tried again until it succeeds: first after a minute,
 * then after longer and longer times up to six hours.
 */
export async function deleteObjects({ em, services: { files } }: PublicContext, signal: AbortSignal): Promise<void> {
  const db = em.getKysely<Tables>()
  while (!signal.aborted) {
    // The statement also sets the time of the next attempt, in case this worker stops. From then on, an upload can no
    // longer keep its object.
    const { rows } = await sql<Deletion>`
      update file_deletion set uploading = false, attempts = attempts + 1,
        due_at = now() + least(interval '1 minute' * (2 ^ least(attempts, 10)), interval '6 hours')
      where id in (
        select id from file_deletion where due_at <= now() order by due_at limit ${BATCH_ROWS} for update skip locked
      ) returning id, store, name`.execute(db)
    const queue = rows.values()
    const deleted: number[] = []
    let failure: unknown
    const work = async () => {
      for (const { id, store, name } of queue) {
        if (signal.aborted) return
        try {
          await (await files.openBucket(store)).remove(name)
          deleted.push(id)
        } catch (error) {
          failure = error
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    if (deleted.length) await db.deleteFrom('file_deletion').where('id', 'in', deleted).execute()
    // Logs one line for each batch, because a bucket that fails usually fails for all objects.
    if (failure) files.reportStoreFailure('delete', failure)
    if (rows.length < BATCH_ROWS || deleted.length === 0) return
  }
}
