import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { SpooledFile } from '../../lib/temporary-files.ts'
import type { PublicContext } from '../context.ts'
import type { ValueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { answerError } from '../structure/answer-error.ts'
import { FILE_LIMITS } from '../structure/file-answer.ts'
import type { Question } from '../structure/questionnaire.ts'
import { truncateToHour } from '../survey/anonymity.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { detectType, type FileType, safeName } from './file-type.ts'
import { fileObject, keepObject, uploadObject } from './object.ts'
import { MEGABYTE, storageUse, warnOwner } from './storage.ts'

/** Size of the parts in which files are stored and read. Only one part at a time is in memory. */
const CHUNK_BYTES = 256 * 1024
/**
 * The unused files of one survey can take this share of the storage limit of an account. If the share is too small for
 * one answer with the maximum number of files of the maximum size, the size of such an answer is the limit instead.
 */
const MAX_UNUSED_SHARE = 1 / 10

/** An uploaded file without its content. */
export interface UploadedFile {
  /**
   * The key: 32 hexadecimal digits. Anyone who knows the key can use the file in a response, unless the file was
   * uploaded for a particular response or is already part of a response.
   */
  key: string
  questionId: string
  name: string
  /** Media type. */
  type: string
  bytes: number
  createdAt: Date
}

/**
 * Checks a received file and stores it for an answer. A file that no response uses within a day is deleted.
 * @param options.responseKey the key of the response that can use the file; absent: any response of the survey can use
 *   it
 * @param options.name the name of the file; absent: the name with which it was received
 * @returns the file, or the reason why it was rejected; nothing is stored then
 * @throws {Problem} `unavailable` if the virus scanner or the bucket fails
 */
export async function storeFile(
  context: PublicContext,
  snapshot: SurveySnapshot,
  question: Question,
  received: SpooledFile,
  { responseKey, name = received.name }: { responseKey?: Buffer; name?: string | undefined } = {},
): Promise<UploadedFile | ValueError> {
  const shown = name.slice(0, 100).toWellFormed()
  const max = maxMegabytes(context, question)
  if (received.isTruncated || received.bytes > max * MEGABYTE)
    return answerError('file_too_large', { name: shown, max })
  if (received.bytes === 0) return answerError('file_empty', { name: shown })
  const type = await detectType(received, name)
  if (!type || !question.fileTypes?.includes(type.group))
    return answerError('file_type_not_accepted', { name: shown, accepted: [...(question.fileTypes ?? [])] })
  const storageError = await checkStorage(context, snapshot, received, responseKey)
  if (storageError) return storageError
  if (!(await scan(context, received))) return answerError('file_infected', { name: shown })
  return insertFile(context, snapshot, question, received, { type, responseKey, name: safeName(name, type) })
}

/** Returns the maximum size of a file of a question in megabytes, within the limit of the server. */
export const maxMegabytes = ({ services }: PublicContext, { maxSize }: Question): number =>
  Math.min(maxSize ?? Number.POSITIVE_INFINITY, services.files.maxMegabytes)

/**
 * Returns whether the virus scanner accepts a file. Gives the transaction enough time for the scan and the following
 * upload to a bucket.
 * @throws {Problem} `unavailable` if the virus scanner fails
 */
export async function scan({ em, services: { files } }: PublicContext, received: SpooledFile): Promise<boolean> {
  // If the request has an Idempotency-Key, its transaction is idle during the scan and the upload. The scan and the
  // upload have separate time limits.
  if (em.isInTransaction()) await sql`set local idle_in_transaction_session_timeout = 0`.execute(em.getKysely<Tables>())
  try {
    return await files.isClean(received)
  } catch (error) {
    files.reportScanFailure(error)
    throw problems.filesUnavailable()
  }
}

/**
 * Returns an error if a new file would exceed the limit for the files and images of the owner of a survey, or the share
 * of one survey. Warns the owner when the limit is near. Files that respondents have uploaded but not submitted yet are
 * not counted. A separate limit for each survey applies to them.
 */
export async function checkStorage(
  context: PublicContext,
  { ownerId, id }: SurveySnapshot,
  { bytes }: Pick<SpooledFile, 'bytes'>,
  responseKey?: Buffer,
): Promise<ValueError | undefined> {
  const { em, services } = context
  const { megabytesPerAccount: max, maxMegabytes: maxFile, surveyShare } = services.files
  if (max === 0) return undefined
  const { ofAccount, ofSurvey } = await storageUse(context, ownerId, id)
  // Strangers can fill a survey with submitted files, but not the space of the other surveys of the account.
  const maxOfSurvey = Math.max(Math.floor(max * surveyShare), Math.min(max, maxFile))
  const exceeded =
    ofAccount + bytes > max * MEGABYTE ? max : ofSurvey + bytes > maxOfSurvey * MEGABYTE ? maxOfSurvey : undefined
  await warnOwner(context, ownerId, exceeded === undefined ? ofAccount + bytes : ofAccount)
  if (exceeded !== undefined) return answerError('file_storage_full', { max: exceeded })
  if (!responseKey) return undefined
  const maxUnused = Math.max(Math.floor(max * MAX_UNUSED_SHARE), maxFile * FILE_LIMITS.maxFiles)
  const { unused } = await em
    .getKysely<Tables>()
    .selectFrom('uploaded_file')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<string>('bytes'), eb.lit(0)).as('unused'))
    .where('survey_id', '=', id)
    .where('response_key', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(unused) + bytes > maxUnused * MEGABYTE
    ? answerError('file_storage_full', { max: maxUnused })
    : undefined
}

async function insertFile(
  context: PublicContext,
  { id: surveyId }: SurveySnapshot,
  { id: questionId }: Question,
  received: SpooledFile,
  { type, responseKey, name }: { type: FileType; responseKey: Buffer | undefined; name: string },
): Promise<UploadedFile> {
  const { em, now, services } = context
  const file: UploadedFile = {
    key: randomBytes(16).toString('hex'),
    questionId,
    name,
    type: type.type,
    bytes: received.bytes,
    // An exact time could reveal who gave an anonymous response.
    createdAt: truncateToHour(now),
  }
  const { store } = services.files
  const object = store ? await uploadObject(context, store, fileObject(surveyId, file.key), received) : undefined
  await em.transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    const row = { survey_id: surveyId, key: file.key, question_id: questionId, name: file.name, type: file.type }
    await db
      .insertInto('uploaded_file')
      .values({
        ...row,
        bytes: file.bytes,
        response_key: responseKey ?? null,
        created_at: file.createdAt,
        store: object?.store ?? null,
      })
      .execute()
    if (object) return keepObject(db, object)
    let number = 0
    for await (const content of received.read(CHUNK_BYTES))
      await db
        .insertInto('uploaded_file_chunk')
        .values({ survey_id: surveyId, key: file.key, number: number++, content: content as Buffer })
        .execute()
  })
  return file
}
