import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { SpooledFile } from '../../lib/temporary-files.ts'
import { markedEncoding, type TextEncoding } from '../../lib/text-encoding.ts'
import type { Context, PublicContext } from '../context.ts'
import type { ValueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { answerError } from '../structure/answer-error.ts'
import { FILE_LIMITS } from '../structure/file-answer.ts'
import type { FileGroup, Question } from '../structure/questionnaire.ts'
import { truncateToHour } from '../survey/anonymity.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
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
const maxMegabytes = ({ services }: PublicContext, { maxSize }: Question): number =>
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

/** The type of a file, determined from its content. */
interface FileType {
  group: FileGroup
  /** Media type. */
  type: string
  extension: string
}

/**
 * The types that questions can accept, by the extension that `file-type` returns. SVG and HTML are not accepted,
 * because they can contain scripts.
 */
const GROUPS: Readonly<Record<FileGroup, readonly string[]>> = {
  image: ['jpg', 'png', 'webp', 'gif', 'heic', 'avif', 'tif', 'bmp'],
  pdf: ['pdf'],
  document: ['docx', 'odt', 'rtf', 'pptx', 'odp'],
  spreadsheet: ['xlsx', 'ods', 'csv'],
  text: ['txt', 'md'],
  audio: ['mp3', 'm4a', 'wav', 'ogg', 'oga', 'opus', 'flac', 'aac', 'amr'],
  video: ['mp4', 'mov', 'webm', 'mkv', 'avi', '3gp', 'm4v', 'mpg'],
  archive: ['zip'],
}

const groupOf = (extension: string): FileGroup | undefined =>
  (Object.keys(GROUPS) as FileGroup[]).find((group) => GROUPS[group].includes(extension))

/** Alternative extensions, with the usual extension of the same type. */
const SYNONYMS: Readonly<Record<string, string>> = { jpeg: 'jpg', jpe: 'jpg', tiff: 'tif', heif: 'heic', mpeg: 'mpg' }

const TEXT_TYPES: Readonly<Record<string, string>> = { csv: 'text/csv', txt: 'text/plain', md: 'text/markdown' }

/** Returns the extension of a file name in its usual form; '' if it has none. */
function extensionOf(name: string): string {
  const extension = (/\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1] ?? '').toLowerCase()
  return SYNONYMS[extension] ?? extension
}

/**
 * Determines the type of a file from its content. The name is used only for text files, whose content does not show the
 * type.
 * @returns undefined for a type that no question accepts
 */
async function detectType(file: SpooledFile, name: string): Promise<FileType | undefined> {
  const { fileTypeFromFile } = await import('file-type')
  const detected = await fileTypeFromFile(file.path).catch(() => undefined)
  if (detected) {
    const group = groupOf(detected.ext)
    return group && { group, type: detected.mime, extension: detected.ext }
  }
  const extension = extensionOf(name) || 'txt'
  const type = TEXT_TYPES[extension]
  return type !== undefined && (await isText(file)) ? { group: groupOf(extension)!, type, extension } : undefined
}

/**
 * Returns whether a file is a text in an encoding that Excel and editors write, without control characters other than
 * white space.
 */
async function isText(file: SpooledFile): Promise<boolean> {
  const marked = await encodingMarkOf(file)
  if (marked) return isTextIn(marked, file)
  return (await isTextIn('utf-8', file)) || isTextIn('windows-1252', file)
}

const encodingMarkOf = async (file: SpooledFile): Promise<TextEncoding | undefined> => {
  for await (const chunk of file.read()) return markedEncoding(chunk as Buffer)
  return undefined
}

const CONTROL_CHARACTERS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
/** Also matches the five bytes that Windows-1252 does not use. */
const NOT_WINDOWS_1252 = /[\0-\x08\x0e-\x1a\x1c-\x1f\x81\x8d\x8f\x90\x9d]/

async function isTextIn(encoding: TextEncoding, file: SpooledFile): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const forbidden = encoding === 'windows-1252' ? NOT_WINDOWS_1252 : CONTROL_CHARACTERS
  try {
    for await (const chunk of file.read())
      if (forbidden.test(decoder.decode(chunk as Buffer, { stream: true }))) return false
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

const MAX_NAME_CHARACTERS = 150

/** Returns a safe name of a file: without folders and invisible characters, and with the extension of its type. */
function safeName(name: string, { extension }: FileType): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const visible = base
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .trim()
  const stem = visible.replace(/^\.+/, '').slice(0, MAX_NAME_CHARACTERS).toWellFormed() || 'file'
  return extensionOf(stem) === extension ? stem : `${stem}.${extension}`
}

/**
 * Returns the question of a survey for which a program uploads a file.
 * @param name the ID or identifier of the question
 * @throws {Problem} `survey_not_found`, `forbidden`; `invalid_request` for an unknown question, or for a question that
 *   does not ask for a file
 */
export async function uploadQuestion(
  context: Context,
  surveyId: number,
  name: string,
): Promise<{ snapshot: SurveySnapshot; question: Question }> {
  const snapshot = await findSnapshot(context, surveyId, ['Test', 'Correct'])
  const { byId, byIdentifier } = snapshot.questionnaire
  const question = byId.get(name) ?? byIdentifier.get(name)
  if (!question) throw problems.invalidField('question', 'unknown_question', { value: name.slice(0, 60) })
  if (!question.fields.some(({ type }) => type === 'file'))
    throw problems.invalidField('question', 'not_answerable', {}, 'must be a question that asks for a file')
  return { snapshot, question }
}
