import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { SpooledFile } from '../../lib/temporary-files.ts'
import type { Context, PublicContext } from '../context.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { type Image, type ImageType, imageTypes, parseImage, withKeyedDigest } from '../image/image.ts'
import { insertUses } from '../image/use.ts'
import { problems } from '../problem.ts'
import { answerError } from '../structure/answer-error.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { imageObject, keepObject, readObject, uploadObject } from './object.ts'
import { checkStorage, scan } from './store.ts'

export const MAX_IMAGE_BYTES = 5_000_000
const LIMITS = { types: imageTypes, maxBytes: MAX_IMAGE_BYTES, maxPixels: 6_000 }
export const MAX_IMAGES_PER_SURVEY = 300

/** A stored image without its bytes. */
export interface StoredImage extends Image {
  bytes: number
}

/**
 * Checks a received image and stores it for a survey (role Edit). An image that is already stored is not stored again.
 * @returns the image, or the reason why it was rejected; then nothing is stored
 * @throws {Problem} `survey_not_found`, `forbidden`; `unavailable` if the virus scanner or the bucket fails
 */
export async function storeImage(
  context: Context,
  surveyId: number,
  received: SpooledFile,
): Promise<StoredImage | ValueError> {
  const snapshot = await findSnapshot(context, surveyId, 'Edit')
  if (received.isTruncated || received.bytes > MAX_IMAGE_BYTES)
    return valueError('image_too_large', { max: MAX_IMAGE_BYTES })
  const content = await readFile(received.path)
  const parsed = parseImage(content, LIMITS)
  if ('code' in parsed) return parsed
  const image = withKeyedDigest(context.services.secretKey, parsed)
  const uses = await context.em
    .getKysely<Tables>()
    .selectFrom('image_use')
    .select('digest')
    .where('survey_id', '=', surveyId)
    .execute()
  const isNew = !uses.some(({ digest }) => digest === image.digest)
  if (isNew && uses.length >= MAX_IMAGES_PER_SURVEY)
    return valueError('too_many_images', { max: MAX_IMAGES_PER_SURVEY })
  const error = isNew && (await checkNewImage(context, snapshot, image, received))
  if (error) return error
  const stored = { ...image, bytes: received.bytes }
  await insertImage(context, surveyId, stored, received, content)
  return stored
}

/** Returns an error if the image does not fit into the storage of the owner of a survey, or contains a virus. */
async function checkNewImage(
  context: Context,
  snapshot: SurveySnapshot,
  { digest }: Image,
  received: SpooledFile,
): Promise<ValueError | undefined> {
  const known = await context.em
    .getKysely<Tables>()
    .selectFrom('image_use')
    .innerJoin('survey', 'survey.id', 'survey_id')
    .select('survey.id')
    .where('owner_id', '=', snapshot.ownerId)
    .where('digest', '=', digest)
    .limit(1)
    .executeTakeFirst()
  const storageError = await checkStorage(context, snapshot, { bytes: known ? 0 : received.bytes })
  if (storageError) return storageError
  return (await scan(context, received)) ? undefined : answerError('file_infected', { name: 'image' })
}

async function insertImage(
  context: Context,
  surveyId: number,
  image: StoredImage,
  received: SpooledFile,
  content: Buffer,
): Promise<void> {
  const { em, now, services } = context
  const key = randomBytes(16).toString('hex')
  const { store } = services.files
  const object = store && (await uploadObject(context, store, imageObject(key), received))
  await em.transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    const inserted = await db
      .insertInto('image')
      .values({ ...image, key, content: object ? null : content, store: object ? object.store : null })
      // If the image is already stored, the update locks it, so that it is not deleted before its use is inserted.
      .onConflict((conflict) => conflict.column('digest').doUpdateSet((eb) => ({ digest: eb.ref('excluded.digest') })))
      .returning(sql<boolean>`xmax = 0`.as('isNew'))
      .executeTakeFirstOrThrow()
    // If the image is already stored, the uploaded object is not needed, and its queued deletion is kept.
    if (object && inserted.isNew) await keepObject(db, object)
    await insertUses(db, { survey_id: surveyId }, [image.digest], { isKept: false, now })
  })
}

/**
 * Opens the content of an image that a survey or template uses. Everyone who knows its address can see it.
 * @returns undefined if there is no such image
 * @throws {Problem} `unavailable` if its bucket fails
 */
export async function openImage(
  context: PublicContext,
  digest: string,
  type: ImageType,
): Promise<Buffer | Readable | undefined> {
  const image = await context.em
    .getKysely<Tables>()
    .selectFrom('image')
    .select(['key', 'content', 'store'])
    .where('digest', '=', digest)
    .where('type', '=', type)
    .executeTakeFirst()
  return image?.store ? readObject(context, image.store, imageObject(image.key)) : (image?.content ?? undefined)
}

/** An image of a survey, in the export of an account. */
export interface SurveyImage {
  surveyId: number
  digest: string
  type: ImageType
}

/** Returns the images of all surveys of the actor. */
export const listImages = ({ em, actor }: Context): Promise<SurveyImage[]> =>
  em
    .getKysely<Tables>()
    .selectFrom('image_use')
    .innerJoin('image', 'image.digest', 'image_use.digest')
    .innerJoin('survey', 'survey.id', 'survey_id')
    .where('owner_id', '=', actor.id)
    .where('deleted_at', 'is', null)
    .select(['survey.id as surveyId', 'image.digest', 'type'])
    .orderBy('survey.id')
    .orderBy('image.digest')
    .execute()

/**
 * Opens an image for the export of an account.
 * @throws {Problem} `file_not_found` if it no longer exists
 */
export async function readImage(context: Context, { digest, type }: SurveyImage): Promise<Readable> {
  const content = await openImage(context, digest, type)
  if (!content) throw problems.fileNotFound()
  return content instanceof Readable ? content : Readable.from([content])
}
