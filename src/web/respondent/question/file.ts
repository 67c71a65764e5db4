import { FILE_GROUPS, type FileGroup, fileKeysOf } from '../../../domain/structure/file-answer.ts'
import type { Field, Question } from '../../../domain/structure/questionnaire.ts'
import { mainForm } from '../../../domain/text/text.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { ShownFile } from '../uploads.ts'
import {
  describedBy,
  descriptionOf,
  errorView,
  hintOf,
  mainField,
  maxSizeOf,
  type RenderContext,
  type RenderQuestion,
  textOf,
  titleOf,
} from './render-context.ts'

/** Returns the name of the file input with which respondents add files to an answer. */
export const fileInputName = ({ storedKey }: Pick<Field, 'storedKey'>): string => `${storedKey}\\file`

/**
 * The types of files that browsers let respondents choose, by file group. The service itself checks the content of a
 * file, not its name.
 */
const ACCEPT: Readonly<Record<FileGroup, string>> = {
  image: 'image/*',
  pdf: '.pdf',
  document: '.docx,.odt,.rtf,.pptx,.odp',
  spreadsheet: '.xlsx,.ods,.csv',
  text: '.txt,.md',
  audio: 'audio/*',
  video: 'video/*',
  archive: '.zip',
}

const acceptOf = ({ fileTypes = FILE_GROUPS }: Question): Part =>
  fileTypes.length < FILE_GROUPS.length && html` accept="${fileTypes.map((group) => ACCEPT[group]).join(',')}"`

/** Returns the size of a file as text in a language, such as 48.2 kB. */
export function fileSize(bytes: number, language: string): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}

/**
 * Renders a stored file as a ticked checkbox. Without scripts, respondents remove the file by unticking the checkbox.
 */
const fileBox = (
  { i18n, idOf }: RenderContext,
  name: string,
  id: string,
  { key, name: file, bytes }: ShownFile,
): Html =>
  html`<li class="choice"><input type="checkbox" id="${idOf(id)}-${key}" name="${name}" value="${key}" checked><label for="${idOf(id)}-${key}"><bdi class="file-name">${file}</bdi> <span class="size">${fileSize(bytes, i18n.language)}</span></label></li>`

/** Renders the stored files of a field. Respondents can keep or remove each file. */
export const filesPart = (context: RenderContext, { key, storedKey }: Field, stored: readonly ShownFile[]): Part => [
  html`<ul class="files choices">${stored.map((file) => fileBox(context, storedKey, key, file))}</ul>`,
  stored.length > 0 && html`<p class="hint untick">${context.i18n.text(context.i18n.texts.untickFile)}</p>`,
]

/**
 * Renders `file-upload`: the files that are already stored, and a field that adds files. The script uploads each file
 * when the respondent chooses it.
 */
export const renderFileUpload: RenderQuestion = (context) => {
  const { question, i18n, idOf, files } = context
  const field = mainField(question)
  const { key } = field
  const { texts } = i18n
  const stored = fileKeysOf(textOf(context, key)).flatMap((one) => files?.get(one) ?? [])
  return html`<label class="question-label" for="${idOf(key)}">${titleOf(context)}</label>
${descriptionOf(context)}${hintOf(context)}${errorView(context, key)}<div class="upload" data-upload="${field.storedKey}" data-max-files="${question.maxFiles ?? 1}" data-max-size="${maxSizeOf(context)}" data-too-large="${mainForm(texts.errors.file_too_large)}" data-too-many="${mainForm(texts.errors.too_many_files)}" data-remove="${mainForm(texts.removeFile)}" data-uploading="${mainForm(texts.uploading)}" data-uploaded="${mainForm(texts.uploaded)}" data-removed="${mainForm(texts.fileRemoved)}" data-failed="${mainForm(texts.uploadFailed)}" data-running="${mainForm(texts.uploadRunning)}">${filesPart(context, field, stored)}<input class="box" type="file" id="${idOf(key)}" name="${fileInputName(field)}"${acceptOf(question)}${(question.maxFiles ?? 1) > 1 && html` multiple`}${describedBy(context, key)}${question.required && stored.length === 0 && html` required`}></div>`
}
