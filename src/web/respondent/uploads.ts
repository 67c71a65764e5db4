import { type FieldError, fieldError } from '../../domain/field-error.ts'
import { findFilesOf } from '../../domain/file/queries.ts'
import { MEGABYTE } from '../../domain/file/storage.ts'
import { storeFile, type UploadedFile } from '../../domain/file/store.ts'
import { kilobytes } from '../../domain/limits.ts'
import { answerTo } from '../../domain/structure/answered.ts'
import { FILE_LIMITS, fileFields, fileKeysOf, submittedFiles } from '../../domain/structure/file-answer.ts'
import type { Answers, Field, Page, Questionnaire } from '../../domain/structure/questionnaire.ts'
import type { UploadForm } from '../page.ts'
import { fileInputName } from '../questions/files.ts'
import type { ShownFile } from '../questions/question-view.ts'
import { isRefused } from './access.ts'
import { secondsToWait } from './rate-limit.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/** Returns the fields of a page whose answers are files. */
const fieldsOf = ({ questions }: Page): Field[] =>
  questions.flatMap(({ fields }) => fields.filter(({ type }) => type === 'file'))

/**
 * Returns the largest number of file fields on any page. Browsers send an empty file for each file field in which no
 * file is chosen.
 */
const mostFieldsOf = ({ pages }: Questionnaire): number => Math.max(...pages.map((page) => fieldsOf(page).length))

/** The form of a page with its files. */
interface SurveyForm extends Pick<UploadForm, 'fields' | 'files'> {
  /**
   * The number of seconds to wait before the page is submitted again. If it is defined, the page is not stored, because
   * files were discarded or the rate limit of the respondent's network is reached.
   */
  secondsToWait?: number | undefined
}

/**
 * Reads the form of a page. A form with files is accepted only by surveys with questions for files, and the files are
 * written to disk. If the respondent has no access or the rate limit of the respondent's network is reached, the files
 * are discarded, so that strangers cannot fill the disk.
 * @param maxFieldBytes maximum size of all fields that are not files, in bytes
 */
export async function readSurveyForm(resolved: ResolvedRequest, maxFieldBytes: number): Promise<SurveyForm> {
  const { request, snapshot } = resolved
  const asksForFiles = fileFields(snapshot.questionnaire).length > 0
  if (!asksForFiles || !request.ctx.is('multipart/form-data'))
    return { fields: await request.form(maxFieldBytes), files: [] }
  const maxFileBytes = request.context.services.files.maxMegabytes * MEGABYTE
  const { uploads, uploadSize } = request.context.services.limits
  const seconds = await secondsToWait(request, async (network) => {
    await uploads.check(network)
    await uploadSize.check(network)
  })
  const discardsFiles = seconds !== undefined || (await isRefused(resolved))
  const maxFiles = FILE_LIMITS.maxFiles + mostFieldsOf(snapshot.questionnaire) - 1
  const limits = { maxFieldBytes, maxFileBytes, maxFiles, discardsFiles }
  const { fields, files, discarded } = await request.upload(limits)
  // If files were discarded, the page is not stored, even if the rate limit and the survey would accept the page by
  // now.
  if (discarded > 0) return { fields, files, secondsToWait: seconds ?? 1 }
  const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0)
  const count = async (network: string) => {
    await uploads.consume(network, files.length)
    await uploadSize.consume(network, kilobytes(bytes))
  }
  return { fields, files, secondsToWait: files.length > 0 ? await secondsToWait(request, count) : undefined }
}

/**
 * The files of a submitted page. `values` contains the keys of the accepted files, by `storedKey` of the field. The
 * keys of several files are separated by spaces.
 */
export interface AcceptedFiles {
  values: Record<string, string>
  errors: FieldError[]
  /** The files that were stored by this request. */
  stored: UploadedFile[]
}

/**
 * Stores the new files of a page for a response. Of the files that the response already has, keeps those whose keys the
 * form still contains. Rejects keys of other respondents' files.
 */
export async function acceptFiles(
  { request, snapshot, stored: response }: ResolvedRequest,
  key: Buffer,
  page: Page,
  values: Readonly<Record<string, unknown>>,
  received: UploadForm['files'],
): Promise<AcceptedFiles> {
  const { context } = request
  const accepted: AcceptedFiles = { values: {}, errors: [], stored: [] }
  for (const field of fieldsOf(page)) {
    if (values[field.storedKey] === undefined) continue
    const fail = (error: Omit<FieldError, 'field'>) => void accepted.errors.push({ ...error, field: field.key })
    const known = new Set(response ? fileKeysOf(answerTo(response.answers, field.key)) : [])
    const sent = [...new Set(submittedFiles(values[field.storedKey]))]
    const owner = { surveyId: snapshot.id, key, id: response?.id }
    const pending = await findFilesOf(context, owner, sent.filter((one) => !known.has(one)).slice(0, MAX_SENT))
    const keys = sent.filter((one) => known.has(one) || pending.get(one)?.questionId === field.question.id)
    if (keys.length < sent.length) fail(fieldError(field.key, 'file_not_found'))
    const files = received.filter((one) => one.field === fileInputName(field))
    const { maxFiles = 1 } = field.question
    // If the question accepts only one file, a new file replaces the earlier file. If the new file is rejected, the
    // earlier file stays.
    const replaces = maxFiles === 1 && files.length === 1
    const kept = replaces ? [] : keys
    if (kept.length + files.length > maxFiles) fail(fieldError(field.key, 'too_many_files', { max: maxFiles }))
    else
      for (const { file } of files) {
        const result = await storeFile(context, snapshot, field.question, file, { responseKey: key })
        if ('code' in result) fail(result)
        else {
          kept.push(result.key)
          accepted.stored.push(result)
        }
      }
    accepted.values[field.storedKey] = (kept.length > 0 ? kept : keys).join(' ')
  }
  return accepted
}

/**
 * Maximum number of keys per question that are looked up because the stored response does not contain them. Further
 * keys are rejected with `file_not_found`.
 */
const MAX_SENT = 100

/**
 * Returns the files to which the values of a page refer, by file key. Runs no query if the values contain no file keys.
 */
export function findShownFiles(
  { request: { context }, snapshot, stored }: ResolvedRequest,
  key: Buffer,
  page: Page,
  values: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<string, ShownFile>> {
  const keys = fieldsOf(page).flatMap((field) => fileKeysOf(answerTo(values as Answers, field.key)))
  return findFilesOf(context, { surveyId: snapshot.id, key, id: stored?.id }, keys)
}
