import { type FieldError, fieldError } from '../../domain/field-error.ts'
import { findFilesOf } from '../../domain/file/queries.ts'
import { MEGABYTE, storeFile, type UploadedFile } from '../../domain/file/store.ts'
import { answerTo } from '../../domain/structure/answered.ts'
import { FILE_LIMITS, fileFields, fileKeysOf, submittedFiles } from '../../domain/structure/file-answer.ts'
import type { Answers, Field, Page, Questionnaire } from '../../domain/structure/questionnaire.ts'
import type { UploadForm } from '../page.ts'
import { isRefused } from './access.ts'
import { fileInputName } from './file-input.ts'
import { secondsToWait } from './rate-limit.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/** Returns the fields of a page whose answers are files. */
const fieldsOf = ({ questions }: Page): Field[] =>
  questions.flatMap(({ fields }) => fields.filter(({ type }) => type === 'file'))

/** Returns the largest number of fields of a page: browsers send an empty file for each field in which none is chosen. */
const mostFieldsOf = ({ pages }: Questionnaire): number => Math.max(...pages.map((page) => fieldsOf(page).length))

/** The form of a page with its files. */
interface SurveyForm extends Pick<UploadForm, 'fields' | 'files'> {
  /** The seconds to wait if files were refused for now. The page cannot be stored then. */
  secondsToWait?: number | undefined
}

/**
 * Reads the form of a page. Only surveys that ask for files accept a form with files, which are written to disk. Files are
 * discarded if the respondent has no access or the network has reached its limit, so that strangers cannot fill the disk.
 * @param maxFieldBytes maximum size of all fields that are not files, in bytes
 */
export async function readSurveyForm(resolved: ResolvedRequest, maxFieldBytes: number): Promise<SurveyForm> {
  const { request, snapshot } = resolved
  const asksForFiles = fileFields(snapshot.questionnaire).length > 0
  if (!asksForFiles || !request.ctx.is('multipart/form-data'))
    return { fields: await request.form(maxFieldBytes), files: [] }
  const maxFileBytes = request.context.services.files.maxMegabytes * MEGABYTE
  const { uploads } = request.context.services.limits
  const seconds = await secondsToWait(request, (network) => uploads.check(network))
  const discardsFiles = seconds !== undefined || (await isRefused(resolved))
  const maxFiles = FILE_LIMITS.maxFiles + mostFieldsOf(snapshot.questionnaire) - 1
  const limits = { maxFieldBytes, maxFileBytes, maxFiles, discardsFiles }
  const { fields, files, discarded } = await request.upload(limits)
  // If files were discarded, the page is not stored, even if the network or the survey would accept it by now.
  if (discarded > 0) return { fields, files, secondsToWait: seconds ?? 1 }
  const count = (network: string) => uploads.consume(network, files.length)
  return { fields, files, secondsToWait: files.length > 0 ? await secondsToWait(request, count) : undefined }
}

/** The files of a submitted page. `values` has the keys of the accepted files of each question, separated by spaces. */
export interface AcceptedFiles {
  values: Record<string, string>
  errors: FieldError[]
  /** The files that were stored by this request. */
  stored: UploadedFile[]
}

/**
 * Stores the new files of a page for a response, and keeps those of its earlier files that the form still contains. The key
 * of another respondent's file is rejected.
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
    // If the question accepts one file, a new file replaces the earlier one, unless the new one is rejected.
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

/** Maximum number of new keys that are looked up for a question. Further keys are rejected with `file_not_found`. */
const MAX_SENT = 100

/** A file as the form of a page shows it. */
export type ShownFile = Pick<UploadedFile, 'key' | 'name' | 'bytes'>

/** Returns the files in the values of a page, as a map from key to file. Runs no query if there are no files. */
export function findShownFiles(
  { request: { context }, snapshot, stored }: ResolvedRequest,
  key: Buffer,
  page: Page,
  values: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<string, ShownFile>> {
  const keys = fieldsOf(page).flatMap((field) => fileKeysOf(answerTo(values as Answers, field.key)))
  return findFilesOf(context, { surveyId: snapshot.id, key, id: stored?.id }, keys)
}
