import { FILE_GROUPS, fileKeysOf } from '../../domain/structure/file-answer.ts'
import type { FileGroup, Question } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { mainForm } from '../../lib/texts.ts'
import { t } from '../i18n/t.ts'
import { fileInputName, filesPart } from './files.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import {
  describedBy,
  descriptionOf,
  errorView,
  hintOf,
  mainField,
  maxSizeOf,
  textOf,
  titleOf,
} from './render-context.ts'

/** How a `file-upload` question is drawn and edited. */
export const fileUpload: QuestionView<'file-upload'> = {
  idname: 'file-upload',
  name: () => ({
    label: t('File upload'),
    hint: t('Respondents attach files.'),
    words: t('attachment document photo picture pdf image'),
  }),
  settings: () => [
    {
      name: 'fileTypes',
      control: 'checks',
      label: t('Accepted files'),
      hint: t('Leave all boxes unticked to accept all of these types.'),
      options: [
        { value: 'image', label: t('Images') },
        { value: 'pdf', label: 'PDF' },
        { value: 'document', label: t('Text documents and presentations') },
        { value: 'spreadsheet', label: t('Spreadsheets and CSV') },
        { value: 'text', label: t('Plain text') },
        { value: 'audio', label: t('Audio') },
        { value: 'video', label: t('Video') },
        { value: 'archive', label: t('ZIP files') },
      ],
    },
    { name: 'maxFiles', control: 'count', label: t('Maximum number of files'), hint: t('From 1 to 10. Default: 1.') },
    { name: 'maxSize', control: 'count', label: t('Maximum size of a file in MB'), hint: t('Default: 10.') },
    {
      name: 'keepOriginal',
      control: 'check',
      label: t('Keep photos as they are'),
      hint: t(
        'Otherwise, the browser makes large photos smaller, and removes details such as the place where they were taken.',
      ),
    },
  ],
  hint: fileHint,
  paper: {
    instructions: ({ question: { maxFiles = 1 } }) => [
      maxFiles === 1
        ? t('Attach one sheet, and write its title in the space.')
        : t('Attach up to {count} sheets, and write their titles in the space.', { count: maxFiles }),
    ],
    render: () => html`<div class="space" aria-hidden="true"></div>`,
  },
  render,
}

/**
 * Renders `file-upload`: the files that are already stored, and a field that adds files. The script uploads each file
 * when the respondent chooses it, and makes large photos smaller before.
 */
function render(context: RenderContext): Html {
  const { question, i18n, idOf, files } = context
  const field = mainField(question)
  const { key } = field
  const { texts } = i18n
  const stored = fileKeysOf(textOf(context, key)).flatMap((one) => files?.get(one) ?? [])
  return html`
    <label class="question-label" for="${idOf(key)}">${titleOf(context)}</label>
    ${descriptionOf(context)}
    ${hintOf(context)}
    ${errorView(context, key)}
    <div class="upload" data-upload="${field.storedKey}" data-max-files="${question.maxFiles ?? 1}"
        data-max-size="${maxSizeOf(context)}" data-too-large="${mainForm(texts.errors.file_too_large)}"
        data-too-many="${mainForm(texts.errors.too_many_files)}" data-remove="${mainForm(texts.removeFile)}"
        data-uploading="${mainForm(texts.uploading)}" data-uploaded="${mainForm(texts.uploaded)}"
        data-removed="${mainForm(texts.fileRemoved)}" data-failed="${mainForm(texts.uploadFailed)}"
        data-running="${mainForm(texts.uploadRunning)}"${
          !question.keepOriginal &&
          html` data-shrinking="${mainForm(texts.photoShrinking)}" data-shrunk="${mainForm(texts.photoShrunk)}"`
        }>
      ${filesPart(context, field, stored)}
      <input class="box" type="file" id="${idOf(key)}" name="${fileInputName(field)}"${acceptOf(question)}${
        (question.maxFiles ?? 1) > 1 && html` multiple`
      }${describedBy(context, key)}${question.required && stored.length === 0 && html` required`}>
    </div>`
}

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

const FILE_GROUP_TEXTS = {
  image: 'fileGroupImage',
  pdf: 'fileGroupPdf',
  document: 'fileGroupDocument',
  spreadsheet: 'fileGroupSpreadsheet',
  text: 'fileGroupText',
  audio: 'fileGroupAudio',
  video: 'fileGroupVideo',
  archive: 'fileGroupArchive',
} as const satisfies Record<FileGroup, string>

function fileHint(context: RenderContext): Part {
  const { question, i18n } = context
  const { maxFiles: n = 1, fileTypes = [] } = question
  const types = new Intl.ListFormat(i18n.language, { type: 'unit' }).format(
    fileTypes.map((group) => mainForm(i18n.texts[FILE_GROUP_TEXTS[group]])),
  )
  return i18n.text(n > 1 ? i18n.texts.fileHintMany : i18n.texts.fileHintOne, { n, size: maxSizeOf(context), types })
}
